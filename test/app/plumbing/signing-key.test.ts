import { spawn } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { deriveConfirmationKey } from '../../../lib/identity/confirmation-key.ts'
import { loadSigningKey } from '../../../lib/identity/signing-key.ts'
import { modulePath } from '../../project.ts'

test('the key that confirmations are signed with where none is configured', async t => {
  const [one, other] = [temporaryDirectory(t), temporaryDirectory(t)]
  const key = deriveConfirmationKey(await loadSigningKey(one))
  t.equal(deriveConfirmationKey(await loadSigningKey(one)), key, 'is the same after a restart')
  t.not(deriveConfirmationKey(await loadSigningKey(other)), key, 'and another elsewhere')
  t.ok(key.length >= 32)
})

test('the key that development tokens are signed with', async t => {
  t.test('is made once, for its owner only, in a directory that is made along', async t => {
    const directory = join(temporaryDirectory(t), 'deep', 'data')
    const first = await loadSigningKey(directory)
    t.same(await loadSigningKey(directory), first)
    t.equal(createPublicKey(first.publicKey).asymmetricKeyType, 'ed25519')
    t.equal(statSync(join(directory, 'signing-key.pem')).mode & 0o777, 0o600)
    t.same(readdirSync(directory), ['signing-key.pem'], 'and no draft is left')
  })

  t.test('is the same for all who ask at the same time, in one process and in several', async t => {
    const directory = temporaryDirectory(t)
    const processes = Array.from({ length: 4 }, () => askElsewhere(directory))
    const here = await Promise.all(Array.from({ length: 20 }, () => loadSigningKey(directory)))
    const there = await Promise.all(processes)
    t.equal(new Set([...here.map(key => key.publicKey), ...there]).size, 1)
  })

  t.test('is not replaced when the file holds something else', async t => {
    const directory = temporaryDirectory(t)
    writeFileSync(join(directory, 'signing-key.pem'), 'no key')
    await t.rejects(loadSigningKey(directory), /signing-key\.pem holds no private key/)
  })
})

async function askElsewhere(directory: string): Promise<string> {
  const module = modulePath('lib/identity/signing-key.ts')
  const code = `import(process.argv[1]).then(async m => process.stdout.write((await m.loadSigningKey(process.argv[2])).publicKey))`
  const child = spawn(process.execPath, ['--import', 'tsx', '-e', code, module, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  await once(child, 'close')
  return output
}

function temporaryDirectory(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'kobana-inbox-test-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
