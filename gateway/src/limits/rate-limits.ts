import { networkOf } from '@watchline/kit/http/network'
import { LRUCache } from 'lru-cache'
import type { GatewayConfig } from '../config.ts'

const windowS = 10
/**
 * Several devices of a person load a new version at the same time, and a refused file fails the
 * installation of the worker that stores them.
 */
const devicesPerPerson = 2

export interface RateLimits {
  /** Counts a request. Undefined when it may pass, else the seconds to wait. `now` in ms. */
  consume(caller: RateLimitedCaller & { signIn: boolean }, now: number): number | undefined
  /** The same for files of the organisation, which players load in many parts. */
  consumeMedia(caller: RateLimitedCaller, now: number): number | undefined
  /** The same for the web client's own files, which nobody needs a session for. */
  consumePage(caller: RateLimitedCaller, now: number): number | undefined
}

export interface RateLimitedCaller {
  /**
   * From a genuine access token, even an expired one, or else from the cookie of a known browser;
   * undefined for everybody else.
   */
  personId: string | undefined
  isExpired: boolean
  address: string
}

interface Bucket {
  tokens: number
  /** The time of the last refill, ms. */
  refilledAt: number
}

/**
 * Token buckets in the memory of each gateway. They keep one caller from crowding out the others,
 * which needs no exact sum over all replicas; auth counts password attempts exactly. Many trainees
 * share the address of one office, so callers with a session never count by address. All sessions
 * of a person count together, so that more of them allow no more calls. An expired access token and
 * a known browser count by person and network: an old cookie that was stolen must not use up its
 * owner's calls. Sign-ins count the same way, so that neighbours never keep a known browser out.
 * So do files of the web client: the client and the worker that stores it load hundreds of files,
 * nearly all of them after the sign-in. Only first visits to the sign-in page count by address.
 */
export function createRateLimits(limits: GatewayConfig['rateLimits']): RateLimits {
  if (!limits) return { consume: () => undefined, consumeMedia: () => undefined, consumePage: () => undefined }
  const buckets = new LRUCache<string, Bucket>({ max: 100_000 })

  function consumeToken(key: string, capacity: number, now: number): number | undefined {
    const tokensPerMs = capacity / (windowS * 1_000)
    let bucket = buckets.get(key)
    if (bucket) {
      bucket.tokens = Math.min(capacity, bucket.tokens + Math.max(0, now - bucket.refilledAt) * tokensPerMs)
      bucket.refilledAt = now
    } else {
      bucket = { tokens: capacity, refilledAt: now }
      buckets.set(key, bucket)
    }
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / tokensPerMs / 1_000)
    bucket.tokens -= 1
    return undefined
  }

  return {
    consume: ({ signIn, ...caller }, now) => {
      const key = sessionKeyOf(caller)
      const waitS = key
        ? consumeToken(`person ${key}`, limits.session, now)
        : consumeToken(`address ${networkOf(caller.address)}`, limits.address, now)
      if (waitS !== undefined || !signIn) return waitS
      return consumeToken(`sign-in ${key ? `person ${key}` : networkOf(caller.address)}`, limits.signIn, now)
    },
    consumeMedia: (caller, now) => {
      const key = sessionKeyOf(caller)
      return key
        ? consumeToken(`media ${key}`, limits.session, now)
        : consumeToken(`media-address ${networkOf(caller.address)}`, limits.address, now)
    },
    consumePage: (caller, now) => {
      const key = sessionKeyOf(caller)
      return key
        ? consumeToken(`page ${key}`, devicesPerPerson * limits.session, now)
        : consumeToken(`page-address ${networkOf(caller.address)}`, limits.page, now)
    },
  }
}

function sessionKeyOf({ personId, isExpired, address }: RateLimitedCaller): string | undefined {
  return personId && isExpired ? `${personId} expired ${networkOf(address)}` : personId
}
