import { errors } from 'oidc-provider'
import { isUnavailable } from '../problem/is-unavailable.ts'

/** Runs a question to the database; when that is away, clients are told to come again instead of an error of ours. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isUnavailable(error) ? toUnavailable(error) : error
  }
}

/** RFC 6749 section 4.1.2.1 has this code; the status is HTTP's. It never goes to a redirect URI: nothing was checked. */
function toUnavailable(cause: unknown): Error {
  const error = new errors.CustomOIDCProviderError(
    'temporarily_unavailable',
    'Something that this server depends on does not answer. Try again in a moment.',
  )
  return Object.assign(error, { status: 503, statusCode: 503, allow_redirect: false, cause })
}
