import { findRisks, type RiskyTask } from '../rules/risk.ts'
import type { MemberTasks } from './load-members.ts'

/** The member's open tasks that are at risk. */
export function findMemberRisks({ person, openTasks, watches }: MemberTasks, now: number): RiskyTask[] {
  return openTasks.flatMap(task => {
    const reasons = findRisks(task, watches, now)
    const { playlist, assignedAt, dueAt } = task
    return reasons.length > 0
      ? [{ personId: person.id, name: person.name, playlistId: playlist.id, assignedAt, dueAt, reasons }]
      : []
  })
}
