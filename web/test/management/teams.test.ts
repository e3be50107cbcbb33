import { describe, expect, test } from '@jest/globals'
import { activeNow, inOrder, onlineOf, statusOf, teamsOf } from '../../src/features/management/teams.ts'
import { aMember } from '../support/engagement.ts'
import { aUser } from '../support/people.ts'
import { anOnlineSummary, anOnlineUser } from '../support/playlists.ts'

const sam = aUser({ name: 'Sam', role: 'supervisor' })
const tom = aUser({ name: 'Tom', role: 'supervisor' })
const uma = aUser({ name: 'Uma', role: 'supervisor' })

describe('teams', () => {
  test('add up what their members have done, with the rounded mean of their rates', () => {
    const [team, other] = teamsOf(
      [sam, tom],
      [
        aMember({
          supervisor_id: sam.id,
          completion_rate: 83,
          watch_time: 60,
          completed_videos: 2,
          total_videos: 3,
        }),
        aMember({ supervisor_id: sam.id, completion_rate: 12, watch_time: 90, completed_videos: 0, total_videos: 4 }),
        aMember({ supervisor_id: 'somebody else' }),
      ],
    )
    expect(team?.figures).toMatchObject({ averageCompletion: 48, watchTime: 150, completedVideos: 2, totalVideos: 7 })
    expect(team?.figures?.members).toHaveLength(2)
    expect(other?.figures).toEqual({
      members: [],
      averageCompletion: undefined,
      watchTime: 0,
      completedVideos: 0,
      totalVideos: 0,
    })
  })

  test('are known before their figures are', () => {
    expect(teamsOf([sam], undefined)).toEqual([{ supervisor: sam, figures: undefined }])
  })

  test('stand in the order asked for, those without anybody last', () => {
    const teams = teamsOf(
      [tom, uma, sam],
      [
        aMember({ supervisor_id: sam.id, completion_rate: 90, watch_time: 10 }),
        aMember({ supervisor_id: tom.id, completion_rate: 20, watch_time: 5 }),
      ],
    )
    const names = (order: 'completion' | 'name' | 'watchTime') =>
      inOrder(teams, order).map(({ supervisor }) => supervisor.name)
    expect(names('completion')).toEqual(['Tom', 'Sam', 'Uma'])
    expect(names('watchTime')).toEqual(['Sam', 'Tom', 'Uma'])
    expect(names('name')).toEqual(['Sam', 'Tom', 'Uma'])
  })
})

describe('who is online', () => {
  const ada = anOnlineUser({ user_id: 'ada', supervisor_id: sam.id })
  const other = anOnlineUser({ user_id: 'other', supervisor_id: 'somebody else' })
  const boss = anOnlineUser({ user_id: sam.id, role: 'supervisor' })
  const director = anOnlineUser({ user_id: 'dora', role: 'director' })

  test('is counted among the manager’s own people only', () => {
    expect(activeNow([sam, tom], anOnlineSummary([ada, other, boss, director]))).toBe(2)
  })

  test('of a team are its members, not its supervisor', () => {
    expect(onlineOf(sam.id, anOnlineSummary([ada, other, boss]))).toEqual([ada])
    expect(onlineOf(sam.id, undefined)).toBeUndefined()
  })

  test('is not claimed of somebody whom a list that is cut does not hold', () => {
    expect(statusOf(tom.id, anOnlineSummary([ada]))).toBe('offline')
    expect(statusOf(tom.id, anOnlineSummary([ada], { total_online: 600 }))).toBeUndefined()
    expect(statusOf(tom.id, undefined)).toBeUndefined()
    expect(statusOf(sam.id, anOnlineSummary([boss], { total_online: 600 }))).toBe('active')
  })
})
