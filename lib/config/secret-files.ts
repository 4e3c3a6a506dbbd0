import { readFileSync } from 'node:fs'

/**
 * The variables that hold secrets, URLs with passwords included. Each may also come from a file, named by the variable
 * with `_FILE` after its name, which is how containers are given secrets: neither the environment of a process nor
 * the definition of a container shows them. `AUTH_PUBLIC_KEY_FILE` and `SMTP_TLS_*_FILE` are none of these: what they
 * name is a file in any case.
 */
export const secretVariables = [
  'DATABASE_URL',
  'REDIS_URL',
  'CONFIRMATION_KEYS',
  'SECRETS_KEY',
  'SMTP_RELAY_URL',
  'METRICS_TOKEN',
] as const

/** The environment with every secret in place, and what is wrong with the files, each fault with its variable. */
export interface SecretEnvironment {
  readonly env: NodeJS.ProcessEnv
  readonly faults: readonly string[]
}

/** Reads the files of secrets that the environment names; without the line break that editors put at their end. */
export function readSecretFiles(env: NodeJS.ProcessEnv): SecretEnvironment {
  const found: NodeJS.ProcessEnv = { ...env }
  const faults: string[] = []
  for (const name of secretVariables) {
    const file = env[`${name}_FILE`]
    if (!file) continue
    if (env[name]) {
      faults.push(`${name}_FILE and ${name} exclude each other`)
      continue
    }
    const secret = readSecret(file)
    if ('fault' in secret) faults.push(`${name}_FILE ${secret.fault}: ${file}`)
    else found[name] = secret.text
  }
  return { env: found, faults }
}

function readSecret(file: string): { readonly text: string } | { readonly fault: string } {
  try {
    const text = readFileSync(file, 'utf8').trim()
    return text === '' ? { fault: 'names an empty file' } : { text }
  } catch {
    return { fault: 'names a file that cannot be read' }
  }
}
