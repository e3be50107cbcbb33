import { lookup as resolve } from 'node:dns'
import { get as getHttp } from 'node:http'
import { get } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { limits } from '@watchline/contracts/limits'
import type { Clock } from '../core/clock.ts'
import { isPublicAddress } from './public-address.ts'
import { StreamReply } from './route.ts'

export interface Picture {
  type: string
  bytes: Buffer
}

export interface PictureLoader {
  /**
   * Undefined if there is no picture at the address, if it is not one that browsers may show, or if
   * its server cannot be reached.
   */
  load(url: string): Promise<Picture | undefined>
}

export interface PictureLoaderOptions {
  /** Whether a server may call this IP address. */
  isAllowed?: (address: string) => boolean
  /** For servers without a certificate: in tests, or named by the operator. */
  allowsHttp?: boolean
  /** The time, in ms, within which a server must answer; by default 5,000. */
  timeoutMs?: number
  /**
   * A call that waits longer, in ms, gets no picture, because its browser may have left; by default
   * 10,000.
   */
  maxWaitMs?: number
}

/** The answer of a route that passes a picture on. Only the browser of the person keeps it. */
export function pictureReply({ type, bytes }: Picture): StreamReply {
  return new StreamReply([bytes], {
    'Content-Type': type,
    'Content-Length': String(bytes.length),
    'Cache-Control': 'private, max-age=3600',
  })
}

/** The formats that browsers may show, each with the first bytes of its files. */
const formats: Readonly<Record<string, (start: Buffer) => boolean>> = {
  'image/png': start => start.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n',
  'image/jpeg': start => start.toString('latin1', 0, 3) === '\xff\xd8\xff',
  'image/gif': start => /^GIF8[79]a$/.test(start.toString('latin1', 0, 6)),
  'image/webp': start => start.toString('latin1', 0, 4) === 'RIFF' && start.toString('latin1', 8, 12) === 'WEBP',
  'image/avif': start => /^ftypavi[fs]$/.test(start.toString('latin1', 4, 12)),
}
const cacheBytes = 32 * 1_048_576
const cacheMs = 3_600_000
/** The time until an address without a picture is asked again. */
const absentMs = 5 * 60_000
/** A picture that is absent still costs a place in the cache. */
const absentBytes = 1_000
const maxConcurrent = 20
/** A page shows many covers at once. More calls than these get no picture. */
const maxWaiting = 500

/**
 * Loads pictures from other servers, so that these do not learn who looks at them. Other people may
 * have chosen an address, so it must not reach into the network of this server. It must be https,
 * without redirects, at a public IP address. The connection uses the very address that was checked.
 */
export function createPictureLoader(clock: Clock, options: PictureLoaderOptions = {}): PictureLoader {
  const { isAllowed = isPublicAddress, allowsHttp = false, timeoutMs = 5_000, maxWaitMs = 10_000 } = options
  const cache = createPictureCache(clock)
  const loading = new Map<string, Promise<Picture | undefined>>()
  const queue = createLoadQueue(maxWaitMs)

  async function loadNow(url: string): Promise<Picture | undefined> {
    if (!(await queue.enter())) return undefined
    try {
      const picture = await fetchPicture(url, { isAllowed, allowsHttp, timeoutMs })
      cache.set(url, picture)
      return picture
    } catch {
      // The server may answer the next call, so nothing is cached.
      return undefined
    } finally {
      queue.leave()
    }
  }

  return {
    load: url => {
      const cached = cache.get(url)
      if (cached) return Promise.resolve(cached.picture)
      const current = loading.get(url)
      if (current) return current
      const loaded = loadNow(url).finally(() => loading.delete(url))
      loading.set(url, loaded)
      return loaded
    },
  }
}

/** Lets a number of loads run at once. The others wait in order, up to a number and for a time. */
function createLoadQueue(maxWaitMs: number) {
  const waiting: (() => void)[] = []
  let running = 0

  return {
    /** False: too many loads are waiting, or this one has waited for too long. */
    enter(): boolean | Promise<boolean> {
      if (running < maxConcurrent) {
        running += 1
        return true
      }
      if (waiting.length >= maxWaiting) return false
      const { promise, resolve: settle } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(admit), 1)
        settle(false)
      }, maxWaitMs)
      const admit = () => {
        clearTimeout(timer)
        settle(true)
      }
      waiting.push(admit)
      return promise
    },
    /** Passes the place of an ended load on. */
    leave(): void {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    },
  }
}

interface CachedPicture {
  picture: Picture | undefined
  validUntil: number
}

/** Keeps pictures up to a number of bytes. The ones that were stored first go first. */
function createPictureCache(clock: Clock) {
  const entries = new Map<string, CachedPicture>()
  let totalBytes = 0
  const sizeOf = ({ picture }: CachedPicture) => picture?.bytes.length ?? absentBytes

  function remove(url: string): void {
    const entry = entries.get(url)
    if (entry) totalBytes -= sizeOf(entry)
    entries.delete(url)
  }

  return {
    get: (url: string): CachedPicture | undefined => {
      const entry = entries.get(url)
      return entry && entry.validUntil > clock.now() ? entry : undefined
    },
    set: (url: string, picture: Picture | undefined) => {
      remove(url)
      const entry = { picture, validUntil: clock.now() + (picture ? cacheMs : absentMs) }
      entries.set(url, entry)
      totalBytes += sizeOf(entry)
      for (const oldest of entries.keys()) {
        if (totalBytes <= cacheBytes) break
        remove(oldest)
      }
    },
  }
}

function fetchPicture(
  address: string,
  { isAllowed, allowsHttp, timeoutMs }: Omit<Required<PictureLoaderOptions>, 'maxWaitMs'>,
): Promise<Picture | undefined> {
  const url = new URL(address)
  const isHttp = allowsHttp && url.protocol === 'http:'
  if (url.protocol !== 'https:' && !isHttp) return Promise.resolve(undefined)
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  // Node does not look up a host that is an IP address already.
  if (isIP(hostname) && !isAllowed(hostname)) return Promise.resolve(undefined)
  const { promise, resolve: settle, reject } = Promise.withResolvers<Picture | undefined>()
  const request = (isHttp ? getHttp : get)(
    url,
    {
      agent: false,
      lookup: lookUpAllowed(isAllowed),
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: Object.keys(formats).join(', ') },
    },
    response => {
      const type = (response.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
      const isOfType = Object.hasOwn(formats, type) ? formats[type] : undefined
      if (isTemporaryStatus(response.statusCode)) {
        response.destroy()
        reject(new Error('the server has no picture at the moment'))
        return
      }
      if (response.statusCode !== 200 || !isOfType) {
        response.destroy()
        settle(undefined)
        return
      }
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > limits.pictureMaxBytes) {
          response.destroy()
          settle(undefined)
        } else chunks.push(chunk)
      })
      response.once('end', () => {
        const bytes = Buffer.concat(chunks)
        // A server may call anything a picture, and its visitors may have written it.
        settle(isOfType(bytes) ? { type, bytes } : undefined)
      })
      response.once('error', reject)
    },
  )
  request.once('error', reject)
  return promise
}

/** A later call may succeed: the server limits its callers or has a fault. */
function isTemporaryStatus(status = 0): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** Looks a name up, and fails if one of its addresses is not allowed. */
function lookUpAllowed(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      const [first] = addresses
      if (!first || !addresses.every(({ address }) => isAllowed(address)))
        return callback(new Error('the host has no public address'), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
