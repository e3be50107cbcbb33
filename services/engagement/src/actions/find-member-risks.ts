import { ratePlaylist } from '../rules/overview.ts'
import { findRisks, type RiskyTask } from '../rules/risk.ts'
import type { MemberTasks } from './load-members.ts'

/** The member's open tasks that are at risk. */
export function findMemberRisks({ person, openTasks, watches }: MemberTasks, now: number): RiskyTask[] {
  return openTasks.flatMap(task => {
    const reasons = findRisks(task, watches, now)
    const { playlist, assignedAt, dueAt } = task
    if (reasons.length === 0) return []
    return [
      {
        ...{ personId: person.id, name: person.name, playlistId: playlist.id, playlistTitle: playlist.title },
        ...{ assignedAt, dueAt, reasons, completionRate: Math.round(ratePlaylist(playlist, watches)) },
      },
    ]
  })
}
