import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { createLiveHints, type LiveHints, onTakenOver, onTyping } from '../../src/api/live-hints.ts'
import { onSessionEnded } from '../../src/api/send.ts'
import { createTimers } from '../player/_answers.ts'

let invalidated: string[]
let timers: ReturnType<typeof createTimers>
let isPageHidden: boolean
let hints: LiveHints

beforeEach(() => {
  invalidated = []
  timers = createTimers()
  isPageHidden = false
  hints = createLiveHints({
    invalidate: tags =>
      invalidated.push(tags.map(tag => (typeof tag === 'string' ? tag : `${tag.type}:${tag.id}`)).join(' ')),
    isHidden: () => isPageHidden,
    schedule: timers.schedule,
    random: () => 0.5,
  })
})
afterEach(() => hints.close())

describe('the refresh after a hint', () => {
  test.each([
    ['notifications', 'Notifications'],
    ['tasks', 'Tasks Playlists Today Team Engagement'],
    ['presence', 'Online'],
    ['chat', 'Chat'],
  ] as const)('about %s invalidates %s', async (type, tags) => {
    hints.handle({ type })
    await timers.pass(3_000)
    expect(invalidated).toEqual([tags])
  })

  test('of one room covers its messages, the rooms and the counts; each room has its own interval', async () => {
    hints.handle({ type: 'chat', room_id: 'a-b' })
    hints.handle({ type: 'chat', room_id: 'a-b' })
    hints.handle({ type: 'chat', room_id: 'a-c' })
    expect(invalidated).toEqual(['Chat:rooms Chat:a-b', 'Chat:rooms Chat:a-c'])
    await timers.pass(limits.hintSpacingMs)
    expect(invalidated).toEqual(['Chat:rooms Chat:a-b', 'Chat:rooms Chat:a-c', 'Chat:rooms Chat:a-b'])
  })

  test('about typing is empty, but the hint reaches its listeners', async () => {
    const typingReports: string[] = []
    const unsubscribe = onTyping((roomId, personId) => typingReports.push(`${roomId} ${personId}`))
    hints.handle({ type: 'typing', room_id: 'a-b', by: 'b' })
    unsubscribe()
    hints.handle({ type: 'typing', room_id: 'a-b', by: 'b' })
    await timers.pass(1_000)
    expect(typingReports).toEqual(['a-b b'])
    expect(invalidated).toEqual([])
  })

  test('that reports missed hints or a changed profile covers everything', async () => {
    hints.handle({ type: 'hello', missed: true })
    hints.handle({ type: 'profile' })
    await timers.pass(3_000)
    expect(invalidated).toHaveLength(2)
    for (const tag of ['Session', 'Team', 'Online', 'Playlists', 'Tasks', 'Today', 'Notifications', 'Chat'])
      expect(invalidated[0]).toContain(tag)
    expect(invalidated[0]).toBe(invalidated[1])
  })

  test('that reports no missed hints is empty', async () => {
    hints.handle({ type: 'hello', missed: false })
    await timers.pass(1_000)
    expect(invalidated).toEqual([])
  })
})

test.each(['tasks', 'notifications'] as const)('a hint about %s to many pages spreads their refreshes', async type => {
  hints.handle({ type, spread_ms: 4_000 })
  await timers.pass(1_999)
  expect(invalidated).toEqual([])
  await timers.pass(1)
  expect(invalidated).toHaveLength(1)
})

test('a hint to one person does not wait for the spread of an earlier one', async () => {
  hints.handle({ type: 'notifications', spread_ms: 4_000 })
  expect(invalidated).toEqual([])
  hints.handle({ type: 'notifications' })
  expect(invalidated).toEqual(['Notifications'])
  await timers.pass(10_000)
  expect(invalidated).toEqual(['Notifications'])
})

describe('many hints', () => {
  test('of one kind cause one refresh and a last one, and do not delay another kind', async () => {
    for (let count = 0; count < 5; count += 1) hints.handle({ type: 'notifications' })
    hints.handle({ type: 'chat' })
    expect(invalidated).toEqual(['Notifications', 'Chat'])
    await timers.pass(limits.hintSpacingMs)
    expect(invalidated).toEqual(['Notifications', 'Chat', 'Notifications'])
    await timers.pass(10_000)
    expect(invalidated).toHaveLength(3)
  })

  test('are spread over the clients by a random delay', async () => {
    hints.handle({ type: 'presence' })
    await timers.pass(1_499)
    expect(invalidated).toEqual([])
    hints.handle({ type: 'presence' })
    await timers.pass(1)
    expect(invalidated).toEqual(['Online'])
    await timers.pass(10_000)
    expect(invalidated).toEqual(['Online'])
  })

  test('in an unbroken sequence refresh less and less often; after a pause the next one refreshes promptly', async () => {
    async function stormFor(ms: number) {
      for (let elapsedMs = 0; elapsedMs < ms; elapsedMs += 250) {
        hints.handle({ type: 'presence' })
        await timers.pass(250)
      }
    }
    await stormFor(20_000)
    expect(invalidated.length).toBeLessThan(14)
    invalidated.length = 0
    await stormFor(20_000)
    expect(invalidated).toHaveLength(5)
    await timers.pass(10_000)
    invalidated.length = 0
    hints.handle({ type: 'presence' })
    await timers.pass(1_500)
    expect(invalidated).toEqual(['Online'])
  })

  test('wait while the page is hidden, except those with a sound', async () => {
    isPageHidden = true
    hints.handle({ type: 'presence' })
    hints.handle({ type: 'presence' })
    hints.handle({ type: 'tasks' })
    hints.handle({ type: 'notifications' })
    await timers.pass(10_000)
    expect(invalidated).toEqual(['Notifications'])
    isPageHidden = false
    hints.handleVisible()
    await timers.pass(10_000)
    expect(invalidated.slice(1)).toEqual(['Tasks Playlists Today Team Engagement', 'Online'])
  })

  test('end with the stream', async () => {
    hints.handle({ type: 'presence' })
    hints.close()
    await timers.pass(10_000)
    expect(invalidated).toEqual([])
  })
})

describe('hints about the session', () => {
  const onTakeover = jest.fn()
  const onEnd = jest.fn()
  let unsubscribers: (() => void)[]
  beforeEach(() => {
    unsubscribers = [onTakenOver(onTakeover), onSessionEnded(onEnd)]
  })
  afterEach(() => {
    for (const unsubscribe of unsubscribers) unsubscribe()
    onTakeover.mockClear()
    onEnd.mockClear()
  })

  test('a takeover reaches the player at once, and again after missed hints', () => {
    hints.handle({ type: 'session', what: 'taken_over' })
    expect(onTakeover).toHaveBeenCalledTimes(1)
    hints.handle({ type: 'hello', missed: true })
    expect(onTakeover).toHaveBeenCalledTimes(2)
    expect(onEnd).not.toHaveBeenCalled()
  })

  test('a sign-out ends the session', () => {
    hints.handle({ type: 'session', what: 'signed_out' })
    expect(onEnd).toHaveBeenCalledTimes(1)
    expect(onTakeover).not.toHaveBeenCalled()
  })
})
