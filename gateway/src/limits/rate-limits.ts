import { LRUCache } from 'lru-cache'
import type { GatewayConfig } from '../config.ts'

const windowS = 10

export interface RateLimits {
  /** Counts a request. Undefined when it may pass, else the seconds to wait. `now` in ms. */
  consume(caller: { sid: string | undefined; address: string; signIn: boolean }, now: number): number | undefined
}

interface Bucket {
  tokens: number
  /** The time of the last refill, ms. */
  refilledAt: number
}

/**
 * Token buckets in the memory of each gateway. They keep one caller from crowding out the others,
 * which needs no exact sum over all replicas; auth counts password attempts exactly. Many trainees
 * share the address of one office, so callers with a session never count by address.
 */
export function createRateLimits(limits: GatewayConfig['rateLimits']): RateLimits {
  if (!limits) return { consume: () => undefined }
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
    consume: ({ sid, address, signIn }, now) => {
      const waitS = sid
        ? consumeToken(`session ${sid}`, limits.session, now)
        : consumeToken(`address ${networkOf(address)}`, limits.address, now)
      if (waitS !== undefined || !signIn) return waitS
      return consumeToken(`sign-in ${networkOf(address)}`, limits.signIn, now)
    },
  }
}

/** An IPv6 subscriber owns a whole /64, so the first four groups identify them. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const tailGroups = tail === '' ? [] : tail.split(':')
    while (groups.length + tailGroups.length < 8) groups.push('0')
    groups.push(...tailGroups)
  }
  return groups.slice(0, 4).join(':')
}
