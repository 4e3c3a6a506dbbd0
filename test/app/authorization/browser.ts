import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { publicUrl } from '../plumbing/start-app.ts'

export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: LightMyRequestResponse['headers']
  readonly body: string
}

export interface Visit {
  /** More headers, such as a proxy or an attacker would add. */
  readonly headers?: Record<string, string>
  readonly remoteAddress?: string
  /** False stops at a redirect. Default true. */
  readonly follow?: boolean
}

/** What a browser does with pages, redirects, forms and cookies; no more. */
export interface Browser {
  readonly cookies: CookieJar
  /** Opens a URL and follows redirects as long as they stay on this server; the URL of the last one otherwise. */
  open(url: string, visit?: Visit): Promise<Page>
  /** Sends the form of a page, with the fields that it has, changed as told. */
  submit(
    page: Page,
    fields: Readonly<Record<string, string | readonly string[] | null>>,
    visit?: Visit,
  ): Promise<Page>
}

let browsers = 0

/**
 * It has an address of its own, so that what is counted by address is counted for it alone.
 *
 * @param server an application to inject into, or the URL of one that listens
 */
export function createBrowser(server: FastifyInstance | string, cookies = createCookieJar()): Browser {
  const origin = typeof server === 'string' ? server : publicUrl
  browsers += 1
  const address = `10.1.${Math.floor(browsers / 250)}.${1 + (browsers % 250)}`
  return { cookies, open: (url, visit) => go('GET', url, undefined, visit), submit }

  async function submit(page: Page, fields: Parameters<Browser['submit']>[1], visit?: Visit): Promise<Page> {
    const body = new URLSearchParams(readFields(page.body))
    for (const [name, value] of Object.entries(fields)) {
      body.delete(name)
      for (const one of value === null ? [] : [value].flat()) body.append(name, one)
    }
    const action = /<form method="post" action="([^"]+)"/.exec(page.body)?.[1]
    if (action === undefined) throw new Error(`there is no form on ${page.url}: ${page.status} ${page.body}`)
    return go('POST', new URL(action, page.url).href, body, visit)
  }

  async function go(
    method: 'GET' | 'POST',
    url: string,
    body?: URLSearchParams,
    visit: Visit = {},
  ): Promise<Page> {
    const { pathname, search } = new URL(url, origin)
    const cookie = cookies.headerFor(pathname)
    const answer = await send(server, {
      method,
      url: `${pathname}${search}`,
      headers: {
        accept: 'text/html',
        ...(cookie && { cookie }),
        ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...visit.headers,
      },
      remoteAddress: visit.remoteAddress ?? address,
      ...(body && { payload: body.toString() }),
    })
    cookies.take(answer.headers['set-cookie'], pathname)
    const { location } = answer.headers
    const page = { url, ...answer }
    if (visit.follow === false || answer.status < 300 || answer.status > 399 || typeof location !== 'string')
      return page
    const target = new URL(location, new URL(url, origin)).href
    // Where it leads to another server, that one would have it now.
    return target.startsWith(`${origin}/`) ? go('GET', target, undefined, visit) : { ...page, url: target }
  }
}

interface Sent {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Record<string, string>
  readonly remoteAddress: string
  readonly payload?: string
}

async function send(server: FastifyInstance | string, sent: Sent): Promise<Omit<Page, 'url'>> {
  if (typeof server !== 'string') {
    const { statusCode: status, headers, body } = await server.inject(sent)
    return { status, headers, body }
  }
  const { method, headers, payload } = sent
  const options = {
    method,
    headers,
    redirect: 'manual' as const,
    ...(payload !== undefined && { body: payload }),
  }
  const response = await fetch(`${server}${sent.url}`, options)
  return {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), 'set-cookie': response.headers.getSetCookie() },
    body: await response.text(),
  }
}

export interface CookieJar {
  headerFor(path: string): string
  take(headers: string | string[] | undefined, path: string): void
  value(name: string): string | undefined
  put(name: string, value: string, path: string): void
}

export function createCookieJar(): CookieJar {
  const jar = new Map<string, { name: string; value: string; path: string }>()
  return {
    headerFor: path =>
      [...jar.values()]
        .filter(cookie => path === cookie.path || path.startsWith(`${cookie.path.replace(/\/$/, '')}/`))
        .map(({ name, value }) => `${name}=${value}`)
        .join('; '),
    take(headers, requestPath) {
      for (const line of [headers ?? []].flat()) {
        const [pair = '', ...attributes] = line.split('; ')
        const [name = '', value = ''] = pair.split(/=(.*)/s)
        const path = attributes.find(text => /^path=/i.test(text))?.slice(5) ?? requestPath
        if (/expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(`${name} ${path}`)
        else jar.set(`${name} ${path}`, { name, value, path })
      }
    },
    value: name => [...jar.values()].find(cookie => cookie.name === name)?.value,
    put: (name, value, path) => void jar.set(`${name} ${path}`, { name, value, path }),
  }
}

/** What a form would send as it stands: hidden and typed fields, ticked boxes, the chosen radio button. */
function readFields(html: string): [string, string][] {
  return [...html.matchAll(/<input\s[^>]*>/g)].flatMap(([tag]) => {
    const attribute = (name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
    const name = attribute('name')
    const isChoice = ['checkbox', 'radio'].includes(attribute('type') ?? '')
    if (name === undefined || (isChoice && !/\schecked\b/.test(tag))) return []
    return [[name, attribute('value') ?? ''] satisfies [string, string]]
  })
}
