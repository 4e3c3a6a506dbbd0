import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Keys for what the authorization server gives browsers, drawn from those for secrets: the first signs, all verify. */
export function deriveCookieKeys(secretsKeys: readonly string[]): readonly string[] {
  return secretsKeys.map(key => derive(key, 'oauth-cookies'))
}

/** Signs texts that come back from a browser, each kind for its own purpose. */
export interface BrowserSeal {
  sign(purpose: string, text: string): string
  verify(purpose: string, text: string, signature: string): boolean
}

export function createBrowserSeal(secretsKeys: readonly string[]): BrowserSeal {
  const keys = secretsKeys.map(key => derive(key, 'oauth-browser'))
  const signWith = (key: string, purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose}\n${text}`).digest('base64url')
  const [first] = keys
  if (first === undefined) throw new Error('SECRETS_KEY is not set: there is no key for cookies')
  return {
    sign: (purpose, text) => signWith(first, purpose, text),
    verify: (purpose, text, signature) => keys.some(key => isSame(signWith(key, purpose, text), signature)),
  }
}

function derive(key: string, use: string): string {
  return Buffer.from(hkdfSync('sha256', key, '', use, 32)).toString('base64url')
}

function isSame(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)]
  return left.length === right.length && timingSafeEqual(left, right)
}
