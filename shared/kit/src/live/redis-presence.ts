import { limits } from '@watchline/contracts/limits'
import type { Presence } from './live-store.ts'
import type { LiveStoreAdapter } from './live-store-adapter.ts'
import type { RedisClient } from './redis-client.ts'

const ttlMs = 2 * limits.presenceActiveMs

export function createRedisPresence(client: RedisClient, prefix: string): LiveStoreAdapter['presence'] {
  /** Sorted set of `<sid>|<loginTime>` by last activity. ZADD GT ignores late reports. */
  const sessionsKey = (personId: string) => `${prefix}presence:{${personId}}`
  /** Sorted set of people by last activity. */
  const onlineKey = `${prefix}{online}`
  /** Sets of people who came online or left since the last claim. */
  const onlineKeys = [onlineKey, `${onlineKey}:arrived`, `${onlineKey}:left`] as const

  const moveOnline = (personId: string, lastActivity: string | null) =>
    client.script('moveOnline', ...onlineKeys, personId, lastActivity ?? '', ttlMs)

  return {
    async report(reports) {
      if (reports.length === 0) return
      const newest = reports.reduce((latest, { at }) => Math.max(latest, at), 0)
      await client.pipeline(pipeline => {
        for (const { personId, sid, loginTime, at } of reports) {
          const sessions = sessionsKey(personId)
          pipeline.zadd(sessions, 'GT', at, `${sid}|${loginTime}`)
          pipeline.zremrangebyscore(sessions, '-inf', `(${at - ttlMs}`)
          pipeline.pexpire(sessions, ttlMs)
        }
        // After the sessions: `removeSession` relies on this order.
        pipeline.reportOnline(
          ...onlineKeys,
          ...[limits.presenceActiveMs, newest - ttlMs, ttlMs],
          ...reports.flatMap(({ personId, at }) => [at, personId]),
        )
      })
    },

    async of(personIds, now) {
      const found = new Map<string, Presence>()
      if (personIds.length === 0) return found
      const replies = await client.pipeline<string[]>(pipeline => {
        for (const personId of personIds) pipeline.zrevrange(sessionsKey(personId), 0, 0, 'WITHSCORES')
      })
      for (const [index, [member, at]] of replies.entries()) {
        if (member === undefined || Number(at) < now - limits.presenceActiveMs) continue
        const bar = member.lastIndexOf('|')
        const loginTime = Number(member.slice(bar + 1))
        found.set(personIds[index]!, { sid: member.slice(0, bar), loginTime, lastActivity: Number(at) })
      }
      return found
    },

    async online(now, { offset, limit }) {
      const since = now - limits.presenceActiveMs
      const [total, personIds] = await client.pipeline<unknown>(pipeline => {
        pipeline.zcount(onlineKey, since, '+inf')
        pipeline.zrevrangebyscore(onlineKey, '+inf', since, 'LIMIT', offset, limit)
      })
      return { total: total as number, personIds: personIds as string[] }
    },

    async removeSession(personId, sid) {
      await moveOnline(personId, await client.script('removeSession', sessionsKey(personId), sid))
      // A concurrent report writes its session first and the set of people online afterwards.
      // Either this second reading finds the session, or the report writes the set after all of
      // this.
      const [latest] = await client.pipeline<string[]>(pipeline => {
        pipeline.zrevrange(sessionsKey(personId), 0, 0, 'WITHSCORES')
      })
      const lastActivity = latest?.[1]
      if (lastActivity === undefined) return
      await client.pipeline(pipeline => {
        pipeline.zadd(onlineKey, 'GT', lastActivity, personId)
        pipeline.pexpire(onlineKey, ttlMs)
      })
    },

    async claimChanges(now, limit) {
      const since = now - limits.presenceActiveMs
      const [arrived, left] = await client.script<[string[], string[]]>('claimChanges', ...onlineKeys, since, limit)
      return { arrived, left }
    },
  }
}
