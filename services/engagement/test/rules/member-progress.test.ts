import { expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { findMemberProgress } from '../../src/rules/member-progress.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const longAgo = now - limits.stalledAfterMs - 1
const recently = now - limits.stalledAfterMs
const overview = { completedVideos: 1, totalVideos: 2, hasOpenTasks: true, needsMore: false }

test.each([
  ['nothing_assigned', { totalVideos: 0, completedVideos: 0, lastActivity: longAgo }, null],
  ['finished', { completedVideos: 2, lastActivity: longAgo }, longAgo],
  ['finished', { hasOpenTasks: false, lastActivity: longAgo }, longAgo],
  ['stalled', { completedVideos: 2, needsMore: true, lastActivity: longAgo }, longAgo],
  ['under_way', { lastActivity: recently }, longAgo],
  ['under_way', { lastActivity: null }, recently],
  ['stalled', { lastActivity: longAgo }, longAgo],
  ['stalled', { lastActivity: null }, null],
])('a person is %s with %j and its earliest open task from %p', (progress, changes, openSince) => {
  expect(findMemberProgress({ ...overview, ...changes }, openSince, now)).toBe(progress)
})
