import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A pair of Ed25519 keys: the private one in PKCS #8, the public one in SPKI, both PEM. */
export interface SigningKey {
  readonly privateKey: string
  readonly publicKey: string
}

/**
 * The key with which development tokens are signed: `signing-key.pem` in the data directory, made when it is
 * first asked for. Several processes may ask at once (a demo that starts, a token command beside it) and all
 * get the same one. Rejects if the file is there and holds no private key.
 */
export async function loadSigningKey(dataDir: string): Promise<SigningKey> {
  const path = join(dataDir, 'signing-key.pem')
  const privateKey = (await readIfThere(path)) ?? (await createKeyFile(dataDir, path))
  return { privateKey, publicKey: toPublicKey(privateKey, path) }
}

/**
 * The whole key is written under another name, for its owner only, and then linked: `link` fails when somebody
 * else was faster, and nobody ever reads half a key.
 */
async function createKeyFile(dataDir: string, path: string): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  const draft = `${path}.${randomUUID()}`
  const { privateKey } = generateKeyPairSync('ed25519')
  await writeFile(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(path, 'utf8')
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

function toPublicKey(privateKey: string, path: string): string {
  try {
    return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
  } catch (error) {
    throw new Error(`${path} holds no private key in PEM; remove it to have a new one made`, { cause: error })
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
