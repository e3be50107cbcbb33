import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isLoopback } from '@watchline/kit/process/config'

const withoutPort = /:\d+$/

/**
 * Whether a request names a host that is ours. Otherwise a website could point its own name at this
 * address (DNS rebinding) and call the API from its pages as if they were ours. Loopback names are
 * always ours, because no website can have one.
 */
export function createHostCheck(publicUrl: string, otherHosts: readonly string[]) {
  const ownHosts = new Set([new URL(publicUrl).hostname, ...otherHosts.map(host => host.toLowerCase())])
  return ({ host }: IncomingHttpHeaders): boolean => {
    if (host === undefined) return false
    const name = host.replace(withoutPort, '').toLowerCase()
    return ownHosts.has(name) || isLoopback(name)
  }
}

/**
 * Whether a request has several `Host` headers. Node keeps the first one, another server may keep
 * the last one, so such a request is refused (RFC 9112, 3.2).
 */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') hosts += 1
  return hosts > 1
}

/**
 * Whether a page of another website sends the browser here by itself, without a click of the
 * person. Links in mails and bookmarks come from no website.
 */
export function isUnaskedNavigation(headers: IncomingHttpHeaders): boolean {
  const isClicked = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-user'] === '?1'
  return isCrossSite(headers) && !isClicked
}

/** Browsers set this header themselves, so a page of another website cannot hide its calls. */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] === 'cross-site'
}
