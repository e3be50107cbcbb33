import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { Hint } from '@watchline/contracts/notification'
import { createHintSpacing, type HintSpacing } from '../../src/jobs/live-stream/hint-spacing.ts'

let pushed: Hint[]
let spacing: HintSpacing
beforeEach(() => {
  jest.useFakeTimers()
  pushed = []
  spacing = createHintSpacing(
    () => 500,
    hint => pushed.push(hint),
  )
})
afterEach(() => {
  spacing.stop()
  jest.useRealTimers()
})

const tasks: Hint = { type: 'tasks' }
const room = (room_id: string): Hint => ({ type: 'chat', room_id })

test('sends the first hint of a burst at once, and the last one after the spacing', () => {
  for (let count = 0; count < 10; count += 1) spacing.send(tasks)
  expect(pushed).toHaveLength(1)
  jest.advanceTimersByTime(499)
  expect(pushed).toHaveLength(1)
  jest.advanceTimersByTime(1)
  expect(pushed).toHaveLength(2)
  jest.advanceTimersByTime(5_000)
  expect(pushed).toHaveLength(2)
})

test('sends one hint for each spacing of an uninterrupted series', () => {
  for (let count = 0; count < 100; count += 1) {
    spacing.send(tasks)
    jest.advanceTimersByTime(50)
  }
  expect(pushed).toHaveLength(11)
})

test('spaces each type and each chat room separately', () => {
  for (const hint of [tasks, { type: 'presence' } as const, room('a'), room('b'), tasks, room('a')]) spacing.send(hint)
  expect(pushed).toEqual([tasks, { type: 'presence' }, room('a'), room('b')])
  jest.advanceTimersByTime(500)
  expect(pushed.slice(4)).toEqual([tasks, room('a')])
})

test('leaves no timer after the stop', () => {
  spacing.send(tasks)
  spacing.send(tasks)
  spacing.stop()
  expect(jest.getTimerCount()).toBe(0)
})
