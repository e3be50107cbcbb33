import { findRisks, type RiskyTask } from '../rules/risk.ts'
import type { MemberTasks } from './load-members.ts'

/** The member's open tasks that are at risk. */
export function findMemberRisks({ person, openTasks, watches }: MemberTasks, now: number): RiskyTask[] {
  return openTasks.flatMap(task => {
    const risks = findRisks(task, watches, now)
    const { playlist, assignedAt, dueAt } = task
    if (!risks) return []
    return [
      {
        ...{ personId: person.id, name: person.name, playlistId: playlist.id, playlistTitle: playlist.title },
        ...{ assignedAt, dueAt, reasons: risks.reasons, completionRate: Math.round(risks.completionRate) },
      },
    ]
  })
}
