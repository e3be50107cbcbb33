import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isDue, longestMoved, shortestMoved } from '../../src/rules/archiving.ts'

const roomId = fc.stringMatching(/^[0-9a-f]{24}-[0-9a-f]{24}$/)
const movedSeq = fc.nat(1_000_000)

test('one message has a tail moved, before it is long', () => {
  fc.assert(
    fc.property(roomId, movedSeq, (id, moved) => {
      const due = Array.from({ length: 47 }, (_, at) => at + 1).filter(length => isDue(id, moved, moved + length))
      expect(due).toHaveLength(1)
      expect(due[0]).toBeGreaterThanOrEqual(shortestMoved)
      expect(due[0]).toBeLessThanOrEqual(longestMoved)
    }),
  )
})

test('a tail that nobody moved is due with every message', () => {
  fc.assert(
    fc.property(roomId, movedSeq, fc.integer({ min: 48, max: 1_000 }), (id, moved, length) => {
      expect(isDue(id, moved, moved + length)).toBe(true)
    }),
  )
})

test('rooms in which as much is written are moved at different times', () => {
  const lengths = new Map<number, number>()
  for (let room = 0; room < 1_700; room += 1)
    for (let length = shortestMoved; length <= longestMoved; length += 1)
      if (isDue(`room-${room}`, 0, length)) lengths.set(length, (lengths.get(length) ?? 0) + 1)
  expect(lengths.size).toBe(longestMoved - shortestMoved + 1)
  // A hundred each, were they dealt out evenly.
  for (const rooms of lengths.values()) expect(rooms).toBeLessThan(200)
})
