import type { FastifyRequest } from 'fastify'

/**
 * The library takes the origin of its URLs, and whether cookies may be secure, from these headers. A client can send
 * them, so that whatever it sent is replaced with what is configured. The address is read first, since reading it again
 * would find nothing to go by.
 */
export function overwriteOrigin(request: FastifyRequest, issuer: string): void {
  const { host, protocol } = new URL(issuer)
  // None where the connection was reset meanwhile: what the client sent is replaced all the same.
  const address: string | undefined = request.ip
  Object.assign(request.raw.headers, {
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.replace(':', ''),
    'x-forwarded-for': address ?? '',
    host,
  })
}
