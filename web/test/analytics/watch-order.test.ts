import { describe, expect, test } from '@jest/globals'
import { orderByNeed } from '../../src/features/analytics/watch-order.ts'
import { makeMember } from '../support/engagement.ts'
import { makeOnlineSummary, makeOnlineUser } from '../support/playlists.ts'

const now = Date.parse('2026-11-03T12:00:00.000Z')
const secondsAgo = (seconds: number) => new Date(now - seconds * 1_000).toISOString()

/** Makes a trainee who gives no reason for attention. */
const makeGoodMember = (name: string, changes = {}) =>
  makeMember({ user_id: name, name, completion_rate: 85, notes: 0, last_activity: secondsAgo(3_600), ...changes })
const makeActiveUser = (name: string, changes = {}) =>
  makeOnlineUser({ user_id: name, name, last_activity: secondsAgo(5), status: 'active', ...changes })
const makeMonitoringUser = (name: string, changes = {}) => makeActiveUser(name, { status: 'monitoring', ...changes })
/** The supervisor who looks at the page is online, too. */
const supervisor = makeActiveUser('Supervisor One', {
  role: 'supervisor',
  user_role: 'supervisor',
  last_activity: secondsAgo(0),
})

const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name)

describe('the order of the team by need for attention', () => {
  test('is monitoring with a reason, monitoring, active, offline', () => {
    const members = ['Offline', 'Active', 'Fine', 'Noted'].map(name =>
      makeGoodMember(name, { notes: name === 'Noted' ? 2 : 0 }),
    )
    const online = makeOnlineSummary([
      supervisor,
      makeActiveUser('Active'),
      makeMonitoringUser('Fine'),
      makeMonitoringUser('Noted'),
    ])
    const list = orderByNeed(members, online)
    expect(list.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'Noted monitoring',
      'Fine monitoring',
      'Active active',
      'Offline offline',
    ])
  })

  test('counts as reasons: notes, low completion of assigned videos, a silent player', () => {
    const members = [
      makeGoodMember('Noted', { notes: 1 }),
      makeGoodMember('Low', { completion_rate: 59.4 }),
      makeGoodMember('Empty', { completion_rate: 0, total_videos: 0 }),
      makeGoodMember('Silent'),
      makeGoodMember('Slow'),
      makeGoodMember('Resting'),
    ]
    const online = makeOnlineSummary([
      supervisor,
      makeMonitoringUser('Noted'),
      makeMonitoringUser('Low'),
      makeMonitoringUser('Empty'),
      makeMonitoringUser('Silent', { last_activity: secondsAgo(46) }),
      makeMonitoringUser('Slow', { last_activity: secondsAgo(44) }),
      makeActiveUser('Resting', { last_activity: secondsAgo(80) }),
    ])
    const reasons = Object.fromEntries(orderByNeed(members, online).map(member => [member.name, member.reasons]))
    expect(reasons).toEqual({ Noted: ['notes'], Low: ['low'], Empty: [], Silent: ['quiet'], Slow: [], Resting: [] })
  })

  test('does not depend on the clock of this computer', () => {
    const longAgo = secondsAgo(7_200)
    const online = makeOnlineSummary([
      { ...supervisor, last_activity: longAgo },
      makeMonitoringUser('Trainee One', { last_activity: longAgo }),
    ])
    expect(orderByNeed([makeGoodMember('Trainee One')], online)[0]?.reasons).toEqual([])
  })

  test('continues with the number of reasons, the lower band and the name', () => {
    const members = [
      makeGoodMember('Trainee Z', { completion_rate: 81 }),
      makeGoodMember('Trainee A', { completion_rate: 99 }),
      makeGoodMember('Medium', { completion_rate: 70 }),
      makeGoodMember('Low', { completion_rate: 10 }),
      makeGoodMember('Both', { completion_rate: 50, notes: 1 }),
      makeGoodMember('Nothing', { completion_rate: 0, total_videos: 0 }),
    ]
    const expected = ['Both', 'Low', 'Medium', 'Trainee A', 'Trainee Z', 'Nothing']
    expect(namesOf(orderByNeed(members, makeOnlineSummary([supervisor])))).toEqual(expected)
    expect(namesOf(orderByNeed(members.toReversed(), makeOnlineSummary([supervisor])))).toEqual(expected)
  })

  test('includes people online without figures, but no staff', () => {
    const online = makeOnlineSummary([
      supervisor,
      makeMonitoringUser('Beyond', { current_playlist: { id: 'p', title: 'Exits' } }),
    ])
    expect(orderByNeed([], online)).toEqual([
      expect.objectContaining({ name: 'Beyond', status: 'monitoring', playlist: 'Exits', figures: undefined }),
    ])
  })

  test('calls nobody offline who may be missing from an incomplete list', () => {
    const incompleteSummary = makeOnlineSummary([supervisor], { total_online: 900 })
    expect(orderByNeed([makeGoodMember('Trainee One')], incompleteSummary)[0]?.status).toBe('unknown')
    expect(orderByNeed([makeGoodMember('Trainee One')], undefined)[0]?.status).toBe('unknown')
    expect(orderByNeed([makeGoodMember('Trainee One')], makeOnlineSummary([supervisor]))[0]?.status).toBe('offline')
  })

  test('takes the later of watched and reported activity as the last activity', () => {
    const online = makeOnlineSummary([
      supervisor,
      makeActiveUser('Trainee One', { last_activity: secondsAgo(10) }),
      makeActiveUser('Trainee Two', { last_activity: secondsAgo(10) }),
    ])
    const list = orderByNeed(
      [
        makeGoodMember('Trainee One'),
        makeGoodMember('Trainee Two', { last_activity: secondsAgo(2) }),
        makeGoodMember('Trainee Three', { last_activity: null }),
      ],
      online,
    )
    expect(Object.fromEntries(list.map(({ name, lastActivity }) => [name, lastActivity]))).toEqual({
      'Trainee One': secondsAgo(10),
      'Trainee Two': secondsAgo(2),
      'Trainee Three': null,
    })
  })
})
