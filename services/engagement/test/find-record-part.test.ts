import { expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { newId } from '@watchline/kit/mongo/database'
import { findRecordPart } from '../src/actions/find-record-part.ts'

test.each([10_000, 50_000])('no part of a group of %d has more members than one record may have', count => {
  const parts = Math.ceil(count / limits.groupRecordPartMembers)
  const sizes = new Array<number>(parts).fill(0)
  for (let member = 0; member < count; member += 1) sizes[findRecordPart(newId(), parts) - 1]! += 1
  expect(sizes.reduce((sum, size) => sum + size)).toBe(count)
  // The mean is 500 and the standard deviation 22.
  expect(Math.max(...sizes)).toBeLessThan(limits.groupRecordMembersMax)
})
