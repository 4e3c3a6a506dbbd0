import autocannon from 'autocannon'
import type { Target } from './target.ts'

export interface Load {
  /** Calls a second. */
  readonly throughput: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly calls: number
}

export interface LoadOptions {
  readonly url: string
  readonly token: string
  readonly target: Target
  readonly connections: number
  readonly seconds: number
}

/** Sends one request again and again, on so many connections; a refusal or an error among the answers is a failure. */
export async function load({ url, token, target, connections, seconds }: LoadOptions): Promise<Load> {
  const { path, method, headers, body } = target
  const latencies: number[] = []
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = {
      url: url + path,
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
      connections,
      duration: seconds,
    }
    const instance = autocannon(options, (error, done) => (error ? reject(error) : resolve(done)))
    // Its own percentiles are whole milliseconds.
    instance.on('response', (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds))
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${path}: ${result.non2xx} refusals, ${result.errors} errors`)
  const sorted = latencies.sort((one, other) => one - other)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { throughput: sorted.length / result.duration, p50: at(0.5), p99: at(0.99), calls: sorted.length }
}
