import type { GroupAction, GroupSkipReason } from '@watchline/contracts/group-assignments'
import { formatCount } from '../../../ui/dates/format.ts'

interface ActionTexts {
  /** In the choice of an action. */
  name: string
  /** The effect of the action, with the number of people. */
  effect: (people: string) => string
  /** If it affects nobody. */
  nobody: string
  button: (people: string) => string
  /** After the server accepted it. */
  success: (group: string) => string
  failure: string
}

export const actionTexts: Record<GroupAction, ActionTexts> = {
  assign: {
    name: 'Assign',
    effect: people => `Assigns the task to ${people}. Future members get it, too.`,
    nobody: 'Assigns the task to nobody now. Future members get it.',
    button: people => `Assign to ${people}`,
    success: group => `Task assigned to ${group}`,
    failure: 'Failed to assign task',
  },
  extend: {
    name: 'Change due date and terms',
    effect: people => `Changes them for ${people}, and for future members.`,
    nobody: 'Changes them for nobody now, only for future members.',
    button: () => 'Change',
    success: group => `Due date and terms changed for ${group}`,
    failure: 'Failed to change the due date and terms',
  },
  remind: {
    name: 'Remind everybody',
    effect: people => `Reminds ${people} of this task.`,
    nobody: 'There is nobody to remind now.',
    button: people => `Remind ${people}`,
    success: group => `Reminding ${group}`,
    failure: 'Failed to remind the group',
  },
  withdraw: {
    name: 'Withdraw',
    effect: people => `Takes the task from ${people}. Credited watch time is kept.`,
    nobody: 'Takes the task from nobody now. Future members do not get it.',
    button: people => `Withdraw from ${people}`,
    success: group => `Task withdrawn from ${group}`,
    failure: 'Failed to withdraw the task',
  },
}

const skipTexts: Record<GroupSkipReason, (count: number) => string> = {
  inactive: count => `${formatCount(count, 'member is', 'members are')} deactivated`,
  not_trainee: count => formatCount(count, 'member is not a trainee', 'members are not trainees'),
  already_assigned: count => `${formatCount(count, 'member has', 'members have')} it already`,
  completed: count =>
    `${formatCount(count, 'member has', 'members have')} completed it or ${count === 1 ? 'has' : 'have'} an exception`,
  not_assigned: count => `${formatCount(count, 'member does', 'members do')} not have it`,
  own_terms: count => `${formatCount(count, 'member has', 'members have')} a due date of their own or of another group`,
  kept: count =>
    `${formatCount(count, 'member keeps', 'members keep')} it: it is also assigned to them directly or by another group`,
  already_reminded: count => `${formatCount(count, 'member was', 'members were')} reminded of it today`,
  uncompletable: count => `${formatCount(count, 'member', 'members')} cannot complete it: no video can be played`,
}

export function describeSkipped(skipped: ReadonlyMap<GroupSkipReason, number>): string[] {
  return [...skipped].map(([reason, count]) => skipTexts[reason](count))
}
