import { describe, expect, test } from '@jest/globals'
import { countActive, findOnlineMembers, groupTeams, sortTeams } from '../../src/features/management/teams.ts'
import { findStatus } from '../../src/ui/online-status.ts'
import { aMember } from '../support/engagement.ts'
import { aUser } from '../support/people.ts'
import { anOnlineSummary, anOnlineUser } from '../support/playlists.ts'

const supervisor1 = aUser({ name: 'Supervisor One', role: 'supervisor' })
const supervisor2 = aUser({ name: 'Supervisor Two', role: 'supervisor' })
const supervisor3 = aUser({ name: 'Supervisor Three', role: 'supervisor' })

describe('teams', () => {
  test('add up what their members have done, with the rounded mean of their rates', () => {
    const [team, other] = groupTeams(
      [supervisor1, supervisor2],
      [
        aMember({
          supervisor_id: supervisor1.id,
          completion_rate: 83,
          watch_time: 60,
          completed_videos: 2,
          total_videos: 3,
        }),
        aMember({
          supervisor_id: supervisor1.id,
          completion_rate: 12,
          watch_time: 90,
          completed_videos: 0,
          total_videos: 4,
        }),
        aMember({ supervisor_id: 'somebody else' }),
      ],
    )
    expect(team?.totals).toMatchObject({ averageCompletion: 48, watchTime: 150, completedVideos: 2, totalVideos: 7 })
    expect(team?.totals?.members).toHaveLength(2)
    expect(other?.totals).toEqual({
      members: [],
      averageCompletion: undefined,
      watchTime: 0,
      completedVideos: 0,
      totalVideos: 0,
    })
  })

  test('are known before their figures are', () => {
    expect(groupTeams([supervisor1], undefined)).toEqual([{ supervisor: supervisor1, totals: undefined }])
  })

  test('stand in the order asked for, those without anybody last', () => {
    const teams = groupTeams(
      [supervisor2, supervisor3, supervisor1],
      [
        aMember({ supervisor_id: supervisor1.id, completion_rate: 90, watch_time: 10 }),
        aMember({ supervisor_id: supervisor2.id, completion_rate: 20, watch_time: 5 }),
      ],
    )
    const names = (order: 'completion' | 'name' | 'watchTime') =>
      sortTeams(teams, order).map(({ supervisor }) => supervisor.name)
    expect(names('completion')).toEqual(['Supervisor Two', 'Supervisor One', 'Supervisor Three'])
    expect(names('watchTime')).toEqual(['Supervisor One', 'Supervisor Two', 'Supervisor Three'])
    expect(names('name')).toEqual(['Supervisor One', 'Supervisor Three', 'Supervisor Two'])
  })
})

describe('who is online', () => {
  const trainee1 = anOnlineUser({ user_id: 'trainee1', supervisor_id: supervisor1.id })
  const other = anOnlineUser({ user_id: 'other', supervisor_id: 'somebody else' })
  const boss = anOnlineUser({ user_id: supervisor1.id, role: 'supervisor' })
  const director = anOnlineUser({ user_id: 'director1', role: 'director' })

  test('is counted among the manager’s own people only', () => {
    expect(countActive([supervisor1, supervisor2], anOnlineSummary([trainee1, other, boss, director]))).toBe(2)
  })

  test('of a team are its members, not its supervisor', () => {
    expect(findOnlineMembers(supervisor1.id, anOnlineSummary([trainee1, other, boss]))).toEqual([trainee1])
    expect(findOnlineMembers(supervisor1.id, undefined)).toBeUndefined()
  })

  test('is not claimed of somebody whom a list that is cut does not hold', () => {
    expect(findStatus(supervisor2.id, anOnlineSummary([trainee1]))).toBe('offline')
    expect(findStatus(supervisor2.id, anOnlineSummary([trainee1], { total_online: 600 }))).toBeUndefined()
    expect(findStatus(supervisor2.id, undefined)).toBeUndefined()
    expect(findStatus(supervisor1.id, anOnlineSummary([boss], { total_online: 600 }))).toBe('active')
  })
})
