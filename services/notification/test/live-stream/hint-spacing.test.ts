import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { Hint } from '@watchline/contracts/notification'
import { createSpacing, type Spacing } from '../../src/jobs/live-stream/hint-spacing.ts'

let said: Hint[]
let spacing: Spacing
beforeEach(() => {
  jest.useFakeTimers()
  said = []
  spacing = createSpacing(
    () => 500,
    hint => said.push(hint),
  )
})
afterEach(() => {
  spacing.stop()
  jest.useRealTimers()
})

const tasks: Hint = { type: 'tasks' }
const room = (room_id: string): Hint => ({ type: 'chat', room_id })

test('the first goes out at once, of a burst the last follows when it may, and then there is silence', () => {
  for (let each = 0; each < 10; each += 1) spacing.take(tasks)
  expect(said).toHaveLength(1)
  jest.advanceTimersByTime(499)
  expect(said).toHaveLength(1)
  jest.advanceTimersByTime(1)
  expect(said).toHaveLength(2)
  jest.advanceTimersByTime(5_000)
  expect(said).toHaveLength(2)
})

test('those that never stop are said again and again, as often as they may be', () => {
  for (let each = 0; each < 100; each += 1) {
    spacing.take(tasks)
    jest.advanceTimersByTime(50)
  }
  expect(said).toHaveLength(11)
})

test('kinds do not wait for each other, nor rooms', () => {
  for (const hint of [tasks, { type: 'presence' } as const, room('a'), room('b'), tasks, room('a')]) spacing.take(hint)
  expect(said).toEqual([tasks, { type: 'presence' }, room('a'), room('b')])
  jest.advanceTimersByTime(500)
  expect(said.slice(4)).toEqual([tasks, room('a')])
})

test('stopped, it says nothing more and holds no timer', () => {
  spacing.take(tasks)
  spacing.take(tasks)
  spacing.stop()
  expect(jest.getTimerCount()).toBe(0)
})
