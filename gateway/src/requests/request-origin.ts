import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
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
 * Whether a request names its host by an address, as probes and scrapers do. No website has an
 * address for a name, so none can call us by one from its own pages.
 */
export function hasAddressAsHost({ host }: IncomingHttpHeaders): boolean {
  return host !== undefined && isIP(host.replace(withoutPort, '').replace(/^\[(.*)\]$/, '$1')) > 0
}

/**
 * Whether a proxy passed the request on, so that it may come from anywhere although the socket is
 * of this machine. Proxies say so by a header, or by HTTP/1.0, which nginx speaks by default and no
 * browser does.
 */
export function isForwarded({ headers, httpVersion }: IncomingMessage): boolean {
  if (httpVersion === '1.0') return true
  for (const name in headers) if (proxyHeaders.has(name) || name.startsWith('x-forwarded')) return true
  return false
}

const proxyHeaders = new Set(['forwarded', 'via', 'x-real-ip', 'x-original-host', 'cf-connecting-ip'])

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
export function isCrossSiteWithoutClick(headers: IncomingHttpHeaders): boolean {
  const isClicked = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-user'] === '?1'
  return isCrossSite(headers) && !isClicked
}

/** Browsers set this header themselves, so a page of another website cannot hide its calls. */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] === 'cross-site'
}
