import type { ReportChoice } from '@watchline/contracts/saved-reports'
import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import { mayReportOn } from '../rules/rights.ts'
import { ignoreRefusal } from './ignore-refusal.ts'

/** Whether the owner still has the right to what the saved report shows. */
export async function checkOwnerRights(
  { groupMembers }: Pick<EngagementContext, 'groupMembers'>,
  owner: Person,
  choice: ReportChoice,
): Promise<boolean> {
  if (!mayReportOn(owner, choice)) return false
  if (choice.group_id === undefined) return true
  return (await ignoreRefusal(groupMembers.list(choice.group_id, owner.id))) !== undefined
}
