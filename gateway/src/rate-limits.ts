import { LRUCache } from 'lru-cache'
import type { GatewayConfig } from './config.ts'

const windowS = 10

export interface RateLimits {
  /** Seconds to wait, or undefined when the request may pass. A session counts by itself, everybody else by their address. */
  hit(caller: { sid: string | undefined; address: string; signIn: boolean }, now: number): number | undefined
}

interface Bucket {
  tokens: number
  at: number
}

/**
 * Token buckets in memory, each gateway its own: they keep one caller from crowding out the others, which needs no exact count
 * over all replicas. (Tries at passwords are counted exactly, by the auth service.) Many trainees share one office's address:
 * who has a session is therefore never counted by address.
 */
export function createRateLimits(limits: GatewayConfig['rateLimits']): RateLimits {
  if (!limits) return { hit: () => undefined }
  const buckets = new LRUCache<string, Bucket>({ max: 100_000 })

  function take(key: string, capacity: number, now: number): number | undefined {
    const perMs = capacity / (windowS * 1_000)
    let bucket = buckets.get(key)
    if (bucket) {
      bucket.tokens = Math.min(capacity, bucket.tokens + Math.max(0, now - bucket.at) * perMs)
      bucket.at = now
    } else {
      bucket = { tokens: capacity, at: now }
      buckets.set(key, bucket)
    }
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perMs / 1_000)
    bucket.tokens -= 1
    return undefined
  }

  return {
    hit: ({ sid, address, signIn }, now) => {
      const wait = sid
        ? take(`session ${sid}`, limits.session, now)
        : take(`address ${network(address)}`, limits.address, now)
      if (wait !== undefined || !signIn) return wait
      return take(`sign-in ${network(address)}`, limits.signIn, now)
    },
  }
}

/** An IPv6 subscriber holds a whole /64: its first four groups stand for them. */
export function network(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':')
    while (groups.length + rest.length < 8) groups.push('0')
    groups.push(...rest)
  }
  return groups.slice(0, 4).join(':')
}
