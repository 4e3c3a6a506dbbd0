import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Teardown } from '../support/open-test-database.ts'

export type Algorithm = 'EdDSA' | 'ES256' | 'RS256'

/** A key of an issuer: signs tokens, and stands in its set. */
export interface IssuerKey {
  readonly kid: string | undefined
  readonly algorithm: Algorithm
  readonly publicKey: KeyObject
  readonly jwk: Readonly<Record<string, unknown>>
  sign(claims: object, header?: object): string
}

export function createIssuerKey(algorithm: Algorithm, kid: string | null = randomUUID()): IssuerKey {
  const { privateKey, publicKey } = generate(algorithm)
  const named = kid === null ? {} : { kid }
  return {
    kid: kid ?? undefined,
    algorithm,
    publicKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), ...named, use: 'sig' },
    sign(claims, header) {
      const input = `${encode({ alg: algorithm, typ: 'at+jwt', ...named, ...header })}.${encode(claims)}`
      const hash = algorithm === 'EdDSA' ? null : 'sha256'
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const }
      return `${input}.${sign(hash, Buffer.from(input), key).toString('base64url')}`
    },
  }
}

/** An authorization server, as far as a resource server sees it. */
export interface Issuer {
  readonly url: string
  readonly jwksUrl: string
  /** The keys that it publishes; change them to rotate. */
  keys: readonly object[]
  /** Answers instead of the documents, to be what an issuer should not be. */
  misbehave: ((response: ServerResponse) => void) | null
  /** Paths that were asked for. */
  readonly asked: string[]
}

/** Listens on this machine until the test ends. `path` is a part of its issuer URL. */
export async function startIssuer(t: Teardown, path = ''): Promise<Issuer> {
  const server = createServer((request, response) => {
    issuer.asked.push(request.url ?? '')
    if (issuer.misbehave) return issuer.misbehave(response)
    const document = documents[request.url ?? '']
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document?.() ?? {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${toPort(server.address())}`
  const issuer: Issuer = {
    url: `${origin}${path}`,
    jwksUrl: `${origin}/keys`,
    keys: [],
    misbehave: null,
    asked: [],
  }
  const documents: Record<string, () => object> = {
    '/keys': () => ({ keys: issuer.keys }),
    [`${path}/.well-known/openid-configuration`]: () => ({ issuer: issuer.url, jwks_uri: issuer.jwksUrl }),
  }
  return issuer
}

export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function toPort(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the issuer does not listen')
  return address.port
}

function generate(algorithm: Algorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}
