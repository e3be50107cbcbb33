import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isArchiveDue, maxArchiveLength, minArchiveLength } from '../../src/rules/archiving.ts'

const roomId = fc.stringMatching(/^[0-9a-f]{24}-[0-9a-f]{24}$/)
const archivedUpTo = fc.nat(1_000_000)

test('exactly one message makes a room due within the allowed lengths', () => {
  fc.assert(
    fc.property(roomId, archivedUpTo, (id, archived) => {
      const due = Array.from({ length: 47 }, (_, index) => index + 1).filter(length =>
        isArchiveDue(id, archived, archived + length),
      )
      expect(due).toHaveLength(1)
      expect(due[0]).toBeGreaterThanOrEqual(minArchiveLength)
      expect(due[0]).toBeLessThanOrEqual(maxArchiveLength)
    }),
  )
})

test('every message makes an overdue room due', () => {
  fc.assert(
    fc.property(roomId, archivedUpTo, fc.integer({ min: 48, max: 1_000 }), (id, archived, length) => {
      expect(isArchiveDue(id, archived, archived + length)).toBe(true)
    }),
  )
})

test('equally busy rooms become due at different lengths', () => {
  const lengths = new Map<number, number>()
  for (let room = 0; room < 1_700; room += 1)
    for (let length = minArchiveLength; length <= maxArchiveLength; length += 1)
      if (isArchiveDue(`room-${room}`, 0, length)) lengths.set(length, (lengths.get(length) ?? 0) + 1)
  expect(lengths.size).toBe(maxArchiveLength - minArchiveLength + 1)
  // An even distribution has 100 rooms for each length.
  for (const rooms of lengths.values()) expect(rooms).toBeLessThan(200)
})
