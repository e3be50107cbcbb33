import type { GroupAction, GroupSkipReason } from '@watchline/contracts/group-assignments'
import type { Assignment } from './assignment.ts'
import { compareWithGroup, findTermsGroup } from './task-origin.ts'

export interface MemberFacts {
  isActive: boolean
  /** Only trainees have tasks. */
  isTrainee: boolean
  /** Undefined without the task. */
  task: Pick<Assignment, 'status' | 'origin'> | undefined
  /** No video of the task plays. */
  isUncompletable: boolean
  isRemindedToday: boolean
}

/** The reason for which the action does not affect a member of the group; undefined if it does. */
export function findSkipReason(
  action: GroupAction,
  groupId: string,
  { isActive, isTrainee, task, isUncompletable, isRemindedToday }: MemberFacts,
): GroupSkipReason | undefined {
  if (action === 'withdraw') {
    if (!task?.origin.groupIds.includes(groupId)) return 'not_assigned'
    return compareWithGroup(task.origin, groupId, false) ? 'kept' : undefined
  }
  if (!isActive) return 'inactive'
  if (!isTrainee && action !== 'remind') return 'not_trainee'
  if (!task) return action === 'assign' ? undefined : 'not_assigned'
  if (task.status !== 'assigned') return 'completed'
  if (action === 'assign') return 'already_assigned'
  if (action === 'extend') return findTermsGroup(task.origin) === groupId ? undefined : 'own_terms'
  if (isUncompletable) return 'uncompletable'
  return isRemindedToday ? 'already_reminded' : undefined
}
