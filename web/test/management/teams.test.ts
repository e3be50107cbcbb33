import { describe, expect, test } from '@jest/globals'
import { countActive, findOnlineMembers, groupTeams, sortTeams } from '../../src/features/management/teams.ts'
import { findStatus } from '../../src/ui/people/online-status.ts'
import { makeMember, makeTeam, makeTeamFigures } from '../support/engagement.ts'
import { makeUser } from '../support/people.ts'
import { makeOnlineSummary, makeOnlineUser } from '../support/playlists.ts'

const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor' })
const supervisor2 = makeUser({ name: 'Supervisor Two', role: 'supervisor' })
const supervisor3 = makeUser({ name: 'Supervisor Three', role: 'supervisor' })

describe('groupTeams and sortTeams', () => {
  test('show the server’s figures of each team beside its members', () => {
    const figures = { average_completion: 47, watch_time: 150, completed_videos: 2, total_videos: 7 }
    const [team, secondTeam] = groupTeams([supervisor1, supervisor2], {
      ...makeTeam([
        makeMember({ supervisor_id: supervisor1.id, completion_rate: 83 }),
        makeMember({ supervisor_id: supervisor1.id, completion_rate: 12 }),
        makeMember({ supervisor_id: 'somebody else' }),
      ]),
      teams: [makeTeamFigures({ supervisor_id: supervisor1.id, ...figures })],
    })
    expect(team?.totals).toMatchObject({ averageCompletion: 47, watchTime: 150, completedVideos: 2, totalVideos: 7 })
    expect(team?.totals?.members).toHaveLength(2)
    expect(secondTeam?.totals).toEqual({
      members: [],
      averageCompletion: undefined,
      watchTime: 0,
      completedVideos: 0,
      totalVideos: 0,
    })
  })

  test('know a team before its figures', () => {
    expect(groupTeams([supervisor1], undefined)).toEqual([{ supervisor: supervisor1, totals: undefined }])
  })

  test('sort by the chosen figure, teams without members last', () => {
    const teams = groupTeams([supervisor2, supervisor3, supervisor1], {
      ...makeTeam([]),
      teams: [
        makeTeamFigures({ supervisor_id: supervisor1.id, average_completion: 90, watch_time: 10 }),
        makeTeamFigures({ supervisor_id: supervisor2.id, average_completion: 20, watch_time: 5 }),
      ],
    })
    const namesBy = (order: 'completion' | 'name' | 'watchTime') =>
      sortTeams(teams, order).map(({ supervisor }) => supervisor.name)
    expect(namesBy('completion')).toEqual(['Supervisor Two', 'Supervisor One', 'Supervisor Three'])
    expect(namesBy('watchTime')).toEqual(['Supervisor One', 'Supervisor Two', 'Supervisor Three'])
    expect(namesBy('name')).toEqual(['Supervisor One', 'Supervisor Three', 'Supervisor Two'])
  })
})

describe('the people online', () => {
  const trainee1 = makeOnlineUser({ user_id: 'trainee1', supervisor_id: supervisor1.id })
  const outsider = makeOnlineUser({ user_id: 'other', supervisor_id: 'somebody else' })
  const onlineSupervisor = makeOnlineUser({ user_id: supervisor1.id, role: 'supervisor' })
  const onlineDirector = makeOnlineUser({ user_id: 'director1', role: 'director' })

  test('are counted among the manager’s own people only', () => {
    expect(
      countActive(
        [supervisor1, supervisor2],
        makeOnlineSummary([trainee1, outsider, onlineSupervisor, onlineDirector]),
      ),
    ).toBe(2)
  })

  test('of a team are its members without the supervisor', () => {
    expect(findOnlineMembers(supervisor1.id, makeOnlineSummary([trainee1, outsider, onlineSupervisor]))).toEqual([
      trainee1,
    ])
    expect(findOnlineMembers(supervisor1.id, undefined)).toBeUndefined()
  })

  test('have an unknown status if the list is incomplete and does not name them', () => {
    expect(findStatus(supervisor2.id, makeOnlineSummary([trainee1]))).toBe('offline')
    expect(findStatus(supervisor2.id, makeOnlineSummary([trainee1], { total_online: 600 }))).toBeUndefined()
    expect(findStatus(supervisor2.id, undefined)).toBeUndefined()
    expect(findStatus(supervisor1.id, makeOnlineSummary([onlineSupervisor], { total_online: 600 }))).toBe('active')
  })
})
