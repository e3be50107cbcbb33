import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { serverUrl, slowCommandMs } from '@watchline/testing/harness'
import { findActiveLock } from '../src/live/live-store.ts'
import type { LiveStoreAdapter } from '../src/live/live-store-adapter.ts'
import { createMemoryLiveStore } from '../src/live/memory-live-store.ts'
import type { LockRequest } from '../src/live/monitoring-lock-writer.ts'
import { createRedisLiveStore } from '../src/live/redis-live-store.ts'
import { removeFromRedis, uniqueName } from './servers.ts'

const now = Date.UTC(2026, 0, 5, 9)
const second = 1_000
const minute = 60 * second

const adapters = {
  memory() {
    const store = createMemoryLiveStore()
    return { store, peer: store, destroy: () => store.close() }
  },
  redis() {
    const prefix = `${uniqueName()}:`
    const options = { url: serverUrl('REDIS_URL'), prefix, commandTimeoutMs: slowCommandMs }
    const [store, peer] = [createRedisLiveStore(options), createRedisLiveStore(options)]
    const destroy = async () => {
      await Promise.all([store.close(), peer.close()])
      await removeFromRedis(prefix)
    }
    return { store, peer, destroy }
  },
}

/** The contract of the port, for every adapter. `peer` is the same store in another process. */
describe.each(Object.entries(adapters))('live store: %s', (_name, openFixture) => {
  let store: LiveStoreAdapter
  let peer: LiveStoreAdapter
  let destroy: () => Promise<void>

  beforeEach(() => {
    ;({ store, peer, destroy } = openFixture())
  })
  afterEach(() => destroy())

  test('answers a ping', async () => {
    await expect(store.ping()).resolves.toBeUndefined()
  })

  describe('presence', () => {
    const makeReport = (personId: string, sid: string, at: number, loginTime = now - minute) => ({
      personId,
      sid,
      loginTime,
      at,
    })
    const page = { offset: 0, limit: 10 }

    test('of returns the requested people who are active, with their latest session', async () => {
      await store.presence.report([
        makeReport('trainee1', 'tab1', now, now - 5 * minute),
        makeReport('trainee1', 'tab2', now + second, now - 3 * minute),
        makeReport('trainee2', 'tab3', now),
      ])
      const presence = await peer.presence.of(['trainee1', 'trainee3'], now + second)
      expect([...presence]).toEqual([
        ['trainee1', { sid: 'tab2', loginTime: now - 3 * minute, lastActivity: now + second }],
      ])
      expect(await store.presence.of([], now)).toEqual(new Map())
    })

    test('a person is active for exactly limits.presenceActiveMs after the last report', async () => {
      await store.presence.report([makeReport('trainee1', 'tab', now)])
      const last = now + limits.presenceActiveMs
      expect((await store.presence.of(['trainee1'], last)).has('trainee1')).toBe(true)
      expect((await store.presence.of(['trainee1'], last + 1)).has('trainee1')).toBe(false)
      expect((await store.presence.online(last, page)).total).toBe(1)
      expect(await store.presence.online(last + 1, page)).toEqual({ total: 0, personIds: [] })
    })

    test('a late report does not replace a newer one', async () => {
      await store.presence.report([makeReport('trainee1', 'tab', now)])
      await peer.presence.report([makeReport('trainee1', 'tab', now - 30 * second)])
      expect((await store.presence.of(['trainee1'], now)).get('trainee1')?.lastActivity).toBe(now)
      expect((await store.presence.online(now + limits.presenceActiveMs, page)).personIds).toEqual(['trainee1'])
    })

    test('one batch may contain a session twice, out of order', async () => {
      await store.presence.report([makeReport('trainee1', 'tab', now), makeReport('trainee1', 'tab', now - second)])
      expect((await store.presence.of(['trainee1'], now)).get('trainee1')?.lastActivity).toBe(now)
    })

    test('removing one of three sessions leaves the person online', async () => {
      await store.presence.report([
        makeReport('trainee1', 'tab1', now),
        makeReport('trainee1', 'tab2', now + second),
        makeReport('trainee1', 'tab3', now + 40 * second),
      ])
      await peer.presence.removeSession('trainee1', 'tab3')
      expect((await store.presence.of(['trainee1'], now + minute)).get('trainee1')).toMatchObject({
        sid: 'tab2',
        lastActivity: now + second,
      })
      expect((await store.presence.online(now + minute, page)).personIds).toEqual(['trainee1'])
      // The remaining sessions decide how long the person stays online, not the removed one.
      expect((await store.presence.online(now + second + limits.presenceActiveMs + 1, page)).total).toBe(0)
      await store.presence.removeSession('trainee1', 'tab1')
      await store.presence.removeSession('trainee1', 'tab2')
      expect((await store.presence.of(['trainee1'], now + minute)).size).toBe(0)
      expect((await store.presence.online(now + minute, page)).total).toBe(0)
    })

    describe('changes', () => {
      const claimChanges = (at: number, limit = 100) => store.presence.claimChanges(at, limit)

      test('a person who comes online is claimed once', async () => {
        await store.presence.report([makeReport('ann', 'tab1', now)])
        await peer.presence.report([makeReport('ann', 'tab2', now + second), makeReport('ben', 'tab', now + second)])
        const { arrived, left } = await claimChanges(now + second)
        expect([arrived.sort(), left]).toEqual([['ann', 'ben'], []])
        await store.presence.report([makeReport('ann', 'tab1', now + 10 * second)])
        expect(await claimChanges(now + 10 * second)).toEqual({ arrived: [], left: [] })
      })

      test('a person whose presence expired is claimed once, by one process', async () => {
        await store.presence.report([makeReport('ann', 'tab', now), makeReport('ben', 'tab', now + second)])
        await claimChanges(now + second)
        const expiry = now + limits.presenceActiveMs + 1
        const claims = await Promise.all([
          store.presence.claimChanges(expiry, 100),
          peer.presence.claimChanges(expiry, 100),
        ])
        expect(claims.flatMap(claim => claim.left)).toEqual(['ann'])
        await store.presence.report([makeReport('ann', 'tab', expiry + second)])
        expect((await claimChanges(expiry + second)).arrived).toEqual(['ann'])
      })

      test('a person goes offline with the last session, not with one of two', async () => {
        await store.presence.report([makeReport('ann', 'tab1', now), makeReport('ann', 'tab2', now)])
        await claimChanges(now)
        await store.presence.removeSession('ann', 'tab1')
        expect(await claimChanges(now)).toEqual({ arrived: [], left: [] })
        await peer.presence.removeSession('ann', 'tab2')
        expect(await claimChanges(now)).toEqual({ arrived: [], left: ['ann'] })
        expect(await claimChanges(now)).toEqual({ arrived: [], left: [] })
      })

      test('a person who went offline and came back since the last claim has arrived', async () => {
        await store.presence.report([makeReport('ann', 'tab1', now)])
        await claimChanges(now)
        await store.presence.removeSession('ann', 'tab1')
        await store.presence.report([makeReport('ann', 'tab2', now + second)])
        expect(await claimChanges(now + second)).toEqual({ arrived: ['ann'], left: [] })
      })

      test('a claim has at most `limit` people, and the next claims have all others', async () => {
        await store.presence.report(['a', 'b', 'c'].map(person => makeReport(person, 'tab', now)))
        const first = await claimChanges(now, 2)
        const next = await claimChanges(now, 2)
        expect(first.arrived.length).toBe(2)
        expect([...first.arrived, ...next.arrived].sort()).toEqual(['a', 'b', 'c'])
      })
    })

    test('removing an unknown session changes nothing', async () => {
      await store.presence.report([makeReport('trainee1', 'tab', now)])
      await store.presence.removeSession('trainee1', 'ta')
      await store.presence.removeSession('trainee2', 'tab')
      expect((await store.presence.online(now, page)).personIds).toEqual(['trainee1'])
    })

    test('online returns everybody in pages, latest activity first', async () => {
      const people = Array.from({ length: 7 }, (_, index) => `person${index}`)
      await store.presence.report(people.map((personId, index) => makeReport(personId, 'tab', now + index * second)))
      await store.presence.report([makeReport('person2', 'tab', now + 20 * second)])
      const at = now + 20 * second
      const pages = [
        await store.presence.online(at, { offset: 0, limit: 3 }),
        await peer.presence.online(at, { offset: 3, limit: 3 }),
        await store.presence.online(at, { offset: 6, limit: 3 }),
      ]
      expect(pages.map(result => result.total)).toEqual([7, 7, 7])
      expect(pages.map(result => result.personIds)).toEqual([
        ['person2', 'person6', 'person5'],
        ['person4', 'person3', 'person1'],
        ['person0'],
      ])
    })
  })

  describe('locks', () => {
    const request = (fields: Partial<LockRequest> = {}): LockRequest => ({
      personId: 'trainee1',
      sid: 'tab1',
      fence: 1,
      playlistId: 'list1',
      now,
      ttlMs: 5 * minute,
      takeOver: false,
      ...fields,
    })
    const ownLock = {
      personId: 'trainee1',
      sid: 'tab1',
      fence: 1,
      playlistId: 'list1',
      acquiredAt: now,
      heardAt: now,
      expiresAt: now + 5 * minute,
    }

    test('a session acquires a free lock', async () => {
      expect(await store.locks.acquire(request())).toEqual({ acquired: true, lock: ownLock })
      expect(await peer.locks.get('trainee1', now)).toEqual(ownLock)
      expect(await peer.locks.get('trainee2', now)).toBeUndefined()
    })

    test('if many sessions acquire at the same time, one wins and all others see its lock', async () => {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 ? store : peer).locks.acquire(request({ sid: `tab${index}`, fence: index + 1 })),
        ),
      )
      const winners = results.filter(result => result.acquired)
      expect(winners).toHaveLength(1)
      expect(new Set(results.map(result => result.lock.sid))).toEqual(new Set([winners[0]!.lock.sid]))
      expect(results.every(result => result.previous === undefined)).toBe(true)
    })

    test('the owner may acquire it again: the fence stays, playlist and expiry are renewed', async () => {
      await store.locks.acquire(request())
      const again = request({ fence: 2, playlistId: 'list2', now: now + minute })
      const lock = { ...ownLock, playlistId: 'list2', heardAt: now + minute, expiresAt: now + 6 * minute }
      expect(await peer.locks.acquire(again)).toEqual({ acquired: true, lock })
      expect(await store.locks.get('trainee1', now + minute)).toEqual(lock)
      // Taking over one's own lock has the same result.
      expect(await peer.locks.acquire({ ...again, fence: 3, takeOver: true })).toEqual({ acquired: true, lock })
    })

    test('a lock carries the reset of its own playlist until its owner changes the playlist', async () => {
      const resetAt = now - minute
      await store.locks.acquire(request({ resetAt }))
      expect(await peer.locks.get('trainee1', now)).toEqual({ ...ownLock, resetAt })
      expect(await peer.locks.renew('trainee1', 'tab1', now, 5 * minute)).toEqual({ ...ownLock, resetAt })
      const { lock } = await peer.locks.acquire(request({ playlistId: 'list2' }))
      expect(lock).toEqual({ ...ownLock, playlistId: 'list2' })
      const { previous } = await store.locks.acquire(request({ sid: 'tab2', fence: 2, takeOver: true, resetAt: now }))
      expect(previous).toEqual(lock)
      expect((await peer.locks.of(['trainee1'], now)).get('trainee1')).toMatchObject({ sid: 'tab2', resetAt: now })
    })

    test('the lock of an ended session is not active', async () => {
      await store.locks.acquire(request())
      expect(await findActiveLock(peer, 'trainee1', now)).toEqual(ownLock)
      await store.revocations.add('tab1', now + minute, now)
      expect(await findActiveLock(peer, 'trainee1', now)).toBeUndefined()
      expect(await peer.locks.get('trainee1', now)).toEqual(ownLock)
    })

    test('a refused request returns the lock of its owner and does not change it', async () => {
      await store.locks.acquire(request())
      expect(await peer.locks.acquire(request({ sid: 'tab2', fence: 2, now: now + second }))).toEqual({
        acquired: false,
        lock: ownLock,
      })
      expect(await store.locks.get('trainee1', now + second)).toEqual(ownLock)
    })

    test('an expired lock is free', async () => {
      await store.locks.acquire(request())
      const expiry = ownLock.expiresAt
      expect(await store.locks.get('trainee1', expiry - 1)).toEqual(ownLock)
      expect(await store.locks.get('trainee1', expiry)).toBeUndefined()
      expect(await store.locks.renew('trainee1', 'tab1', expiry, 5 * minute)).toBeUndefined()
      const { acquired, lock, previous } = await peer.locks.acquire(request({ sid: 'tab2', fence: 2, now: expiry }))
      expect([acquired, lock.sid, lock.fence, lock.acquiredAt, previous]).toEqual([true, 'tab2', 2, expiry, undefined])
    })

    test('the former owner of an expired lock acquires it with the new fence', async () => {
      await store.locks.acquire(request())
      const late = request({ fence: 2, now: ownLock.expiresAt })
      expect((await store.locks.acquire(late)).lock).toMatchObject({ fence: 2, acquiredAt: ownLock.expiresAt })
    })

    test('a takeover replaces the lock and returns the previous one', async () => {
      await store.locks.acquire(request())
      const result = await peer.locks.acquire(
        request({ sid: 'tab2', fence: 2, takeOver: true, now: now + second, playlistId: 'list2' }),
      )
      expect(result).toEqual({
        acquired: true,
        lock: {
          personId: 'trainee1',
          sid: 'tab2',
          fence: 2,
          playlistId: 'list2',
          acquiredAt: now + second,
          heardAt: now + second,
          expiresAt: now + second + 5 * minute,
        },
        previous: ownLock,
      })
      expect(await store.locks.renew('trainee1', 'tab1', now + second, 5 * minute)).toBeUndefined()
    })

    test('of several takeovers at the same time the highest fence wins', async () => {
      await store.locks.acquire(request({ sid: 'first', fence: 1 }))
      const fences = [5, 3, 9, 2, 7, 4, 8, 6]
      await Promise.all(
        fences.map(fence => store.locks.acquire(request({ sid: `tab${fence}`, fence, takeOver: true }))),
      )
      expect(await peer.locks.get('trainee1', now)).toMatchObject({ sid: 'tab9', fence: 9 })
    })

    test('a renewal extends the lock and never shortens it', async () => {
      await store.locks.acquire(request())
      const renewed = { ...ownLock, heardAt: now + minute, expiresAt: now + 6 * minute }
      expect(await peer.locks.renew('trainee1', 'tab1', now + minute, 5 * minute)).toEqual(renewed)
      expect(await store.locks.renew('trainee1', 'tab1', now + second, 5 * minute)).toEqual(renewed)
      expect(await store.locks.renew('trainee1', 'tab1', now + 2 * minute, 5 * minute, 'list1')).toMatchObject({
        expiresAt: now + 7 * minute,
      })
    })

    test('only the owner renews, and only for its playlist', async () => {
      expect(await store.locks.renew('trainee1', 'tab1', now, 5 * minute)).toBeUndefined()
      await store.locks.acquire(request())
      expect(await peer.locks.renew('trainee1', 'tab2', now + minute, 5 * minute)).toBeUndefined()
      expect(await peer.locks.renew('trainee1', 'tab1', now + minute, 5 * minute, 'list2')).toBeUndefined()
      expect(await store.locks.get('trainee1', now + minute)).toEqual(ownLock)
    })

    test('only the owner releases', async () => {
      await store.locks.acquire(request())
      expect(await peer.locks.release('trainee1', 'tab2')).toBeUndefined()
      expect(await store.locks.get('trainee1', now)).toEqual(ownLock)
      expect(await peer.locks.release('trainee1', 'tab1')).toEqual(ownLock)
      expect(await store.locks.get('trainee1', now)).toBeUndefined()
      expect(await store.locks.release('trainee1', 'tab1')).toBeUndefined()
    })

    test('every person has an own lock, and of reads the locks of many people', async () => {
      await store.locks.acquire(request())
      await store.locks.acquire(request({ personId: 'trainee2', sid: 'tab2', now: now - minute }))
      const personIds = ['trainee2', 'trainee3', 'trainee1']
      const locks = await peer.locks.of(personIds, now)
      expect([...locks.keys()]).toEqual(['trainee2', 'trainee1'])
      expect(locks.get('trainee1')).toEqual(ownLock)
      expect([...(await peer.locks.of(personIds, now + 4 * minute)).keys()]).toEqual(['trainee1'])
      expect((await store.locks.of([], now)).size).toBe(0)
    })
  })

  describe('revocations', () => {
    test('are valid until their end', async () => {
      await store.revocations.add('sid1', now + minute, now)
      await peer.revocations.add('sid2', now + 2 * minute, now)
      expect((await store.revocations.all(now)).sort()).toEqual(['sid1', 'sid2'])
      expect(await peer.revocations.has('sid1', now + minute - 1)).toBe(true)
      expect(await peer.revocations.has('sid1', now + minute)).toBe(false)
      expect(await store.revocations.all(now + minute)).toEqual(['sid2'])
      expect(await store.revocations.has('sid3', now)).toBe(false)
    })

    test('a session with two revocations stays revoked until the later end', async () => {
      await store.revocations.add('sid1', now + 2 * minute, now)
      await store.revocations.add('sid1', now + minute, now)
      expect(await store.revocations.has('sid1', now + minute)).toBe(true)
    })
  })

  describe('versions', () => {
    test('stay the same until they are bumped, and are the same in every process', async () => {
      const before = await store.versions.get(['a', 'b'])
      expect(before.every(version => version > 0)).toBe(true)
      expect(await peer.versions.get(['a', 'b'])).toEqual(before)
      expect(await store.versions.get([])).toEqual([])
    })

    test('a bump gives a new number to exactly the given keys', async () => {
      const [a, b, c] = await store.versions.get(['a', 'b', 'c'])
      const seen = new Set([a])
      for (let round = 1; round <= 20; round++) {
        await (round % 2 ? store : peer).versions.bump(['a', 'b'])
        seen.add((await peer.versions.get(['a']))[0]!)
        expect(seen.size).toBe(round + 1)
      }
      const after = await store.versions.get(['a', 'b', 'c'])
      expect(after[1]).not.toBe(b)
      expect(after[2]).toBe(c)
    })

    test('after many bumps at the same time all processes see the same new number', async () => {
      const seen = new Set(await store.versions.get(['a']))
      await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? store : peer).versions.bump(['a'])))
      const [after] = await store.versions.get(['a'])
      expect(seen).not.toContain(after)
      expect(await peer.versions.get(['a'])).toEqual([after])
    })
  })

  describe('counters', () => {
    test('count within a window that starts with the first hit', async () => {
      expect(await store.counters.countHit('login', minute, now)).toEqual({ count: 1, resetsAt: now + minute })
      expect(await peer.counters.countHit('login', minute, now + 59 * second)).toEqual({
        count: 2,
        resetsAt: now + minute,
      })
      expect(await store.counters.countHit('other', minute, now + second)).toEqual({
        count: 1,
        resetsAt: now + second + minute,
      })
      expect(await store.counters.countHit('login', minute, now + minute)).toEqual({
        count: 1,
        resetsAt: now + 2 * minute,
      })
    })

    test('count every one of many hits at the same time', async () => {
      const hits = await Promise.all(
        Array.from({ length: 50 }, (_, i) => (i % 2 ? store : peer).counters.countHit('login', minute, now)),
      )
      expect(hits.map(hit => hit.count).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1))
    })

    test('let the waits between attempts grow, and begin again after a long pause', async () => {
      const policy = { freeAttempts: 2, firstWaitMs: second, longestWaitMs: 3 * second, forgetAfterMs: minute }
      const attempt = (at: number) => peer.counters.countAttempt('password', policy, now + at)
      expect([await attempt(0), await attempt(0)]).toEqual([0, 0])
      expect([await attempt(0), await attempt(999), await attempt(second)]).toEqual([second, 1, 0])
      expect([await attempt(second), await attempt(3 * second)]).toEqual([2 * second, 0])
      // The longest wait.
      expect([await attempt(3 * second), await attempt(6 * second)]).toEqual([3 * second, 0])
      expect([await attempt(6 * second), await attempt(9 * second)]).toEqual([3 * second, 0])
      const later = 9 * second + minute
      expect([await attempt(later), await attempt(later), await attempt(later)]).toEqual([0, 0, second])
      await store.counters.clear('password')
      expect(await attempt(later)).toBe(0)
    })

    test('admit only the free ones of many attempts at the same time', async () => {
      const policy = { freeAttempts: 5, firstWaitMs: second, longestWaitMs: minute, forgetAfterMs: minute }
      const waits = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? store : peer).counters.countAttempt('password', policy, now)),
      )
      expect(waits.filter(wait => wait === 0)).toHaveLength(5)
      expect(waits.filter(wait => wait === second)).toHaveLength(15)
    })

    test('can be cleared', async () => {
      await store.counters.countHit('login', minute, now)
      await peer.counters.clear('login')
      expect((await store.counters.countHit('login', minute, now + second)).count).toBe(1)
    })
  })
})
