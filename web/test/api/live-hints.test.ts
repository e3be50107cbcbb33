import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { createLiveHints, type LiveHints, onTakenOver, onTyping } from '../../src/api/live-hints.ts'
import { onSessionEnded } from '../../src/api/send.ts'
import { createTimers } from '../player/_answers.ts'

let asked: string[]
let timers: ReturnType<typeof createTimers>
let hidden: boolean
let hints: LiveHints

beforeEach(() => {
  asked = []
  timers = createTimers()
  hidden = false
  hints = createLiveHints({
    invalidate: tags =>
      asked.push(tags.map(tag => (typeof tag === 'string' ? tag : `${tag.type}:${tag.id}`)).join(' ')),
    isHidden: () => hidden,
    schedule: timers.schedule,
    random: () => 0.5,
  })
})
afterEach(() => hints.close())

describe('a hint makes old', () => {
  test.each([
    ['notifications', 'Notifications'],
    ['tasks', 'Tasks Playlists Today Team Engagement'],
    ['presence', 'Online'],
    ['chat', 'Chat'],
  ] as const)('%s: %s', async (type, tags) => {
    hints.handle({ type })
    await timers.pass(300)
    expect(asked).toEqual([tags])
  })

  test('of one room: its messages, the rooms and the counts, and each room at its own pace', async () => {
    hints.handle({ type: 'chat', room_id: 'a-b' })
    hints.handle({ type: 'chat', room_id: 'a-b' })
    hints.handle({ type: 'chat', room_id: 'a-c' })
    expect(asked).toEqual(['Chat:rooms Chat:a-b', 'Chat:rooms Chat:a-c'])
    await timers.pass(limits.hintSpacingMs)
    expect(asked).toEqual(['Chat:rooms Chat:a-b', 'Chat:rooms Chat:a-c', 'Chat:rooms Chat:a-b'])
  })

  test('nothing when somebody writes: whoever shows it is told', async () => {
    const heard: string[] = []
    const stop = onTyping((roomId, by) => heard.push(`${roomId} ${by}`))
    hints.handle({ type: 'typing', room_id: 'a-b', by: 'b' })
    stop()
    hints.handle({ type: 'typing', room_id: 'a-b', by: 'b' })
    await timers.pass(1_000)
    expect(heard).toEqual(['a-b b'])
    expect(asked).toEqual([])
  })

  test('everything when something was missed, or the person is another now', async () => {
    hints.handle({ type: 'hello', missed: true })
    hints.handle({ type: 'profile' })
    await timers.pass(300)
    expect(asked).toHaveLength(2)
    for (const tag of ['Session', 'Team', 'Online', 'Playlists', 'Tasks', 'Today', 'Notifications', 'Chat'])
      expect(asked[0]).toContain(tag)
    expect(asked[0]).toBe(asked[1])
  })

  test('nothing when nothing was missed', async () => {
    hints.handle({ type: 'hello', missed: false })
    await timers.pass(1_000)
    expect(asked).toEqual([])
  })
})

describe('many hints', () => {
  test('of one kind become one question and one more for the last, those of another are not held up', async () => {
    for (let count = 0; count < 5; count += 1) hints.handle({ type: 'notifications' })
    hints.handle({ type: 'chat' })
    expect(asked).toEqual(['Notifications', 'Chat'])
    await timers.pass(limits.hintSpacingMs)
    expect(asked).toEqual(['Notifications', 'Chat', 'Notifications'])
    await timers.pass(10_000)
    expect(asked).toHaveLength(3)
  })

  test('said to many at once are not followed by all in the same moment', async () => {
    hints.handle({ type: 'presence' })
    await timers.pass(149)
    expect(asked).toEqual([])
    hints.handle({ type: 'presence' })
    await timers.pass(1)
    expect(asked).toEqual(['Online'])
    await timers.pass(10_000)
    expect(asked).toEqual(['Online'])
  })

  test('that do not stop are followed less and less often; after a pause at once again', async () => {
    async function stormFor(ms: number) {
      for (let passed = 0; passed < ms; passed += 250) {
        hints.handle({ type: 'presence' })
        await timers.pass(250)
      }
    }
    await stormFor(20_000)
    expect(asked.length).toBeLessThan(14)
    asked.length = 0
    await stormFor(20_000)
    expect(asked).toHaveLength(5)
    await timers.pass(10_000)
    asked.length = 0
    hints.handle({ type: 'presence' })
    await timers.pass(150)
    expect(asked).toEqual(['Online'])
  })

  test('wait while nobody looks, but for what is to be heard', async () => {
    hidden = true
    hints.handle({ type: 'presence' })
    hints.handle({ type: 'presence' })
    hints.handle({ type: 'tasks' })
    hints.handle({ type: 'notifications' })
    await timers.pass(10_000)
    expect(asked).toEqual(['Notifications'])
    hidden = false
    hints.handleVisible()
    await timers.pass(10_000)
    expect(asked.slice(1)).toEqual(['Online', 'Tasks Playlists Today Team Engagement'])
  })

  test('are over with the stream', async () => {
    hints.handle({ type: 'presence' })
    hints.close()
    await timers.pass(10_000)
    expect(asked).toEqual([])
  })
})

describe('what is said of the session', () => {
  const takenOver = jest.fn()
  const ended = jest.fn()
  let stops: (() => void)[]
  beforeEach(() => {
    stops = [onTakenOver(takenOver), onSessionEnded(ended)]
  })
  afterEach(() => {
    for (const stop of stops) stop()
    takenOver.mockClear()
    ended.mockClear()
  })

  test('taken over is told to the player, now and after something was missed', () => {
    hints.handle({ type: 'session', what: 'taken_over' })
    expect(takenOver).toHaveBeenCalledTimes(1)
    hints.handle({ type: 'hello', missed: true })
    expect(takenOver).toHaveBeenCalledTimes(2)
    expect(ended).not.toHaveBeenCalled()
  })

  test('signed out is the end of the session', () => {
    hints.handle({ type: 'session', what: 'signed_out' })
    expect(ended).toHaveBeenCalledTimes(1)
    expect(takenOver).not.toHaveBeenCalled()
  })
})
