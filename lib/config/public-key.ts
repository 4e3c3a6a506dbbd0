import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Reads an Ed25519 public key from a PEM file. Throws an error that says what is wrong with the file. */
export function readPublicKey(file: string): string {
  const pem = readText(file)
  // A private key contains its public one and would pass, but it has no business on this machine.
  if (pem.includes('PRIVATE KEY')) throw new Error('must be a file with a public key; this one is private')
  if (keyType(pem) !== 'ed25519') throw new Error('must be a PEM file with an Ed25519 public key')
  return pem
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new Error(`names a file that cannot be read: ${file}`)
  }
}

function keyType(pem: string): string | undefined {
  try {
    return createPublicKey(pem).asymmetricKeyType
  } catch {
    return undefined
  }
}
