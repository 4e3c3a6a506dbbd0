/**
 * Why a redirect URI cannot be registered, or null where it can: https, http of this machine (RFC 8252 section 7.3) or
 * a scheme of an application's own (section 7.1). Whatever a browser itself would run or open is no application's.
 */
export function toRedirectFault(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > 2_000) return 'must be a text of at most 2000 characters'
  if (/[\p{Cc}\p{Cs}\s]/u.test(text)) return 'must have no blanks and no control characters'
  if (!URL.canParse(text)) return 'must be an absolute URI'
  const { protocol, hostname, username, password } = new URL(text)
  if (text.includes('#')) return 'must not have a fragment'
  // An empty name is one, too: what stands before the @ is read as the host.
  if (username !== '' || password !== '' || /^[^/?]*:\/\/[^/?]*@/.test(text)) return 'must not name a user'
  if (protocol === 'https:') return isHost(hostname) ? null : 'must have the name of a host'
  if (protocol === 'http:') return isLoopback(hostname) ? null : 'must be https, unless it is on this machine'
  return isForeignScheme(protocol) ? `must not have the scheme ${protocol}` : null
}

/** Whether it leads to a program on the person's own machine, which anybody there could be. */
export function isNativeRedirect(text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return protocol !== 'https:' && (protocol !== 'http:' || isLoopback(hostname))
}

/** Where it leads, for a person to judge: a host, or the scheme of an application. */
export function toRedirectPlace(text: string): string {
  const { protocol, host, hostname } = new URL(text)
  if (protocol === 'http:' && isLoopback(hostname)) return 'a program on this computer'
  return protocol === 'https:' ? host : `the application that opens ${protocol}// links`
}

/**
 * The same for Content-Security-Policy, whose form-action browsers also hold against the redirects that follow a form.
 * Its grammar has no IPv6 addresses, so that for those the scheme must do.
 */
export function toFormAction(text: string): string {
  const { protocol, origin, hostname } = new URL(text)
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && !hostname.startsWith('[') ? origin : protocol
}

/** What `URL` lets through that is no host: signs that mean something to a person, a page, or its policy. */
function isHost(hostname: string): boolean {
  return /^[a-z0-9.-]+$/.test(hostname) || hostname.startsWith('[')
}

/** Of a browser, its extensions, or a system: it opens what is there, and nothing that asked for a token. */
function isForeignScheme(protocol: string): boolean {
  return foreignSchemes.has(protocol) || /^ms-|-ms:$|-extension:$/.test(protocol)
}

const foreignSchemes = new Set([
  'about:',
  'afp:',
  'blob:',
  'callto:',
  'chrome:',
  'cid:',
  'data:',
  'dav:',
  'edge:',
  'facetime:',
  'feed:',
  'file:',
  'filesystem:',
  'ftp:',
  'git:',
  'gopher:',
  'hcp:',
  'imap:',
  'intent:',
  'irc:',
  'itms-apps:',
  'itms-services:',
  'itms:',
  'jar:',
  'javascript:',
  'ldap:',
  'ldaps:',
  'livescript:',
  'magnet:',
  'mailto:',
  'market:',
  'mhtml:',
  'mid:',
  'mocha:',
  'moz-icon:',
  'news:',
  'nfs:',
  'nntp:',
  'pop:',
  'rdp:',
  'res:',
  'resource:',
  'rsync:',
  'rtsp:',
  'sftp:',
  'shell:',
  'sip:',
  'sips:',
  'smb:',
  'sms:',
  'smtp:',
  'ssh:',
  'svn:',
  'tel:',
  'telnet:',
  'urn:',
  'vbscript:',
  'view-source:',
  'vnc:',
  'webcal:',
  'ws:',
  'wss:',
  'wyciwyg:',
  'xmpp:',
])

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
}
