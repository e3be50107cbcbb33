import type { SupervisorRequest } from '@watchline/contracts/supervisor-requests'
import { makeMember, makeTeamFigures } from '../support/engagement.ts'
import { makeUser } from '../support/people.ts'

/**
 * Manager One manages three supervisors. Supervisor One has Trainee One and Trainee Two, Supervisor
 * Two has Trainee Three, and Supervisor Three has nobody.
 */
export const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor', user_count: 2 })
export const supervisor2 = makeUser({ name: 'Supervisor Two', role: 'supervisor', user_count: 1 })
export const supervisor3 = makeUser({ name: 'Supervisor Three', role: 'supervisor', user_count: 0 })
export const trainee1 = makeMember({
  name: 'Trainee One',
  supervisor_id: supervisor1.id,
  completion_rate: 83,
  watch_time: 1500,
  completed_videos: 3,
  total_videos: 4,
})
export const trainee2 = makeMember({ name: 'Trainee Two', supervisor_id: supervisor1.id, completion_rate: 61 })
export const trainee3 = makeMember({
  name: 'Trainee Three',
  supervisor_id: supervisor2.id,
  completion_rate: 12,
  watch_time: 60,
  completed_videos: 0,
  last_activity: null,
})

/** The server's figures of the three teams. */
export const teamFigures = [
  makeTeamFigures({
    supervisor_id: supervisor1.id,
    team_count: 2,
    average_completion: 72,
    watch_time: 2100,
    completed_videos: 4,
    total_videos: 8,
  }),
  makeTeamFigures({
    supervisor_id: supervisor2.id,
    team_count: 1,
    average_completion: 12,
    watch_time: 60,
    total_videos: 4,
  }),
  makeTeamFigures({ supervisor_id: supervisor3.id }),
]

let count = 0

export function makeRequest(changes: Partial<SupervisorRequest> = {}): SupervisorRequest {
  count += 1
  return {
    id: `request-${count}`,
    manager_id: 'manager1',
    manager_name: 'Manager One',
    supervisor_id: `requested-${count}`,
    supervisor_name: `Requested ${count}`,
    reason: '',
    status: 'pending',
    requested_at: '2026-11-03T12:00:00.000Z',
    reviewed_at: null,
    comment: '',
    ...changes,
  }
}
