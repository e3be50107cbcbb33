import type { SupervisorRequest } from '@watchline/contracts/auth'
import { aMember } from '../support/engagement.ts'
import { aUser } from '../support/people.ts'

/** Max manages Sam, who has Ada and Ben, and Tom, who has Cleo; Uma has nobody. */
export const sam = aUser({ name: 'Sam Hill', role: 'supervisor', user_count: 2 })
export const tom = aUser({ name: 'Tom Reed', role: 'supervisor', user_count: 1 })
export const uma = aUser({ name: 'Uma Dey', role: 'supervisor', user_count: 0 })
export const ada = aMember({
  name: 'Ada Byron',
  supervisor_id: sam.id,
  completion_rate: 83,
  watch_time: 1500,
  completed_videos: 3,
  total_videos: 4,
})
export const ben = aMember({ name: 'Ben Okri', supervisor_id: sam.id, completion_rate: 61 })
export const cleo = aMember({
  name: 'Cleo Ngata',
  supervisor_id: tom.id,
  completion_rate: 12,
  watch_time: 60,
  completed_videos: 0,
  last_activity: null,
})

let count = 0

export function aRequest(changes: Partial<SupervisorRequest> = {}): SupervisorRequest {
  count += 1
  return {
    id: `request-${count}`,
    manager_id: 'max',
    manager_name: 'Max',
    supervisor_id: `asked-${count}`,
    supervisor_name: `Asked ${count}`,
    reason: '',
    status: 'pending',
    requested_at: '2026-11-03T12:00:00.000Z',
    reviewed_at: null,
    comment: '',
    ...changes,
  }
}
