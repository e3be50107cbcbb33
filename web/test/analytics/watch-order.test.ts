import { describe, expect, test } from '@jest/globals'
import { orderByNeed } from '../../src/features/analytics/watch-order.ts'
import { makeMember } from '../support/engagement.ts'
import { makeOnlineSummary, makeOnlineUser } from '../support/playlists.ts'

const now = Date.parse('2026-11-03T12:00:00.000Z')
const ago = (seconds: number) => new Date(now - seconds * 1_000).toISOString()

/** A trainee of whom nothing gives a reason to look. */
const well = (name: string, changes = {}) =>
  makeMember({ user_id: name, name, completion_rate: 85, notes: 0, last_activity: ago(3_600), ...changes })
const seen = (name: string, changes = {}) =>
  makeOnlineUser({ user_id: name, name, last_activity: ago(5), status: 'active', ...changes })
const monitoring = (name: string, changes = {}) => seen(name, { status: 'monitoring', ...changes })
/** Whoever looks is online, too. */
const supervisor = seen('Supervisor One', { role: 'supervisor', user_role: 'supervisor', last_activity: ago(0) })

const names = (list: readonly { name: string }[]) => list.map(({ name }) => name)

describe('the team, whoever needs a look first', () => {
  test('monitoring with a reason, monitoring, active, offline', () => {
    const members = ['Offline', 'Active', 'Fine', 'Noted'].map(name => well(name, { notes: name === 'Noted' ? 2 : 0 }))
    const online = makeOnlineSummary([supervisor, seen('Active'), monitoring('Fine'), monitoring('Noted')])
    const list = orderByNeed(members, online)
    expect(list.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'Noted monitoring',
      'Fine monitoring',
      'Active active',
      'Offline offline',
    ])
  })

  test('what gives a reason: notes, low completion of what is assigned, a player that has gone silent', () => {
    const members = [
      well('Noted', { notes: 1 }),
      well('Low', { completion_rate: 59.4 }),
      well('Empty', { completion_rate: 0, total_videos: 0 }),
      well('Silent'),
      well('Slow'),
      well('Resting'),
    ]
    const online = makeOnlineSummary([
      supervisor,
      monitoring('Noted'),
      monitoring('Low'),
      monitoring('Empty'),
      monitoring('Silent', { last_activity: ago(46) }),
      monitoring('Slow', { last_activity: ago(44) }),
      seen('Resting', { last_activity: ago(80) }),
    ])
    const reasons = Object.fromEntries(orderByNeed(members, online).map(each => [each.name, each.reasons]))
    expect(reasons).toEqual({ Noted: ['notes'], Low: ['low'], Empty: [], Silent: ['quiet'], Slow: [], Resting: [] })
  })

  test('a wrong clock here makes nobody silent', () => {
    const old = ago(7_200)
    const online = makeOnlineSummary([
      { ...supervisor, last_activity: old },
      monitoring('Trainee One', { last_activity: old }),
    ])
    expect(orderByNeed([well('Trainee One')], online)[0]?.reasons).toEqual([])
  })

  test('among those alike: more reasons, the lower band, then the name, whatever the percent within the band', () => {
    const members = [
      well('Trainee Z', { completion_rate: 81 }),
      well('Trainee A', { completion_rate: 99 }),
      well('Medium', { completion_rate: 70 }),
      well('Low', { completion_rate: 10 }),
      well('Both', { completion_rate: 50, notes: 1 }),
      well('Nothing', { completion_rate: 0, total_videos: 0 }),
    ]
    const expected = ['Both', 'Low', 'Medium', 'Trainee A', 'Trainee Z', 'Nothing']
    expect(names(orderByNeed(members, makeOnlineSummary([supervisor])))).toEqual(expected)
    expect(names(orderByNeed(members.toReversed(), makeOnlineSummary([supervisor])))).toEqual(expected)
  })

  test('those who are online but whose figures were not read are there, staff is not', () => {
    const online = makeOnlineSummary([
      supervisor,
      monitoring('Beyond', { current_playlist: { id: 'p', title: 'Exits' } }),
    ])
    expect(orderByNeed([], online)).toEqual([
      expect.objectContaining({ name: 'Beyond', status: 'monitoring', playlist: 'Exits', figures: undefined }),
    ])
  })

  test('who is not in a list that is cut off is not called offline, nor without any list', () => {
    const cut = makeOnlineSummary([supervisor], { total_online: 900 })
    expect(orderByNeed([well('Trainee One')], cut)[0]?.status).toBe('unknown')
    expect(orderByNeed([well('Trainee One')], undefined)[0]?.status).toBe('unknown')
    expect(orderByNeed([well('Trainee One')], makeOnlineSummary([supervisor]))[0]?.status).toBe('offline')
  })

  test('the last activity is the later one of what was watched and what was heard', () => {
    const online = makeOnlineSummary([
      supervisor,
      seen('Trainee One', { last_activity: ago(10) }),
      seen('Trainee Two', { last_activity: ago(10) }),
    ])
    const list = orderByNeed(
      [
        well('Trainee One'),
        well('Trainee Two', { last_activity: ago(2) }),
        well('Trainee Three', { last_activity: null }),
      ],
      online,
    )
    expect(Object.fromEntries(list.map(({ name, lastActivity }) => [name, lastActivity]))).toEqual({
      'Trainee One': ago(10),
      'Trainee Two': ago(2),
      'Trainee Three': null,
    })
  })
})
