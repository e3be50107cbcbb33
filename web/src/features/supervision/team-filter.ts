import { assignableRole } from '@watchline/contracts/people'
import { z } from 'zod'
import { leaderChoice } from '../../ui/people/leader-choice.ts'

/** The part of the organisation that a list of people shows. */
export const teamFilter = z.object({
  role: assignableRole.optional(),
  manager: leaderChoice.optional(),
  supervisor: leaderChoice.optional(),
})
export type TeamFilter = z.infer<typeof teamFilter>

/** The query of a filter, in the words of the API. */
export function toFilterQuery({ role, manager, supervisor }: TeamFilter) {
  return { role, manager_id: manager?.id, supervisor_id: supervisor?.id }
}

/** The teams of a filter in words; undefined for everybody. */
export function nameTeams({ manager, supervisor }: TeamFilter): string | undefined {
  if (supervisor) return `the team of ${supervisor.name}`
  return manager && `the teams of ${manager.name}`
}
