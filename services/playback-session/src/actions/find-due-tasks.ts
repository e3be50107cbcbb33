import { limits } from '@watchline/contracts/limits'
import type { PlaybackContext } from '../context.ts'
import type { Assignment, DueDate } from '../rules/assignment.ts'
import type { Playlist } from '../rules/playlist.ts'
import type { UrgencyCursor } from '../store/assignment-pages.ts'
import { assignmentKey } from '../store/stored-assignment.ts'

/** An open task with a due date. */
export interface DueTask {
  assignment: Assignment & { due: DueDate }
  playlist: Playlist
}

type Deps = Pick<PlaybackContext, 'assignments' | 'playlists'>

/**
 * The open tasks of a person that have a due date, in its order; with `playlistId` at most that
 * one.
 */
export async function findDueTasks(ctx: Deps, personId: string, playlistId?: string): Promise<DueTask[]> {
  const assignments =
    playlistId === undefined ? await readDue(ctx, personId) : await readOne(ctx, assignmentKey(personId, playlistId))
  const tasks = await Promise.all(
    assignments.map(async assignment => {
      const playlist = await ctx.playlists.cached.get(assignment.playlistId)
      return isDue(assignment) && playlist ? { assignment, playlist } : null
    }),
  )
  return tasks.filter(task => task !== null)
}

/** Tasks without a due date come after all others. */
async function readDue({ assignments }: Deps, personId: string): Promise<Assignment[]> {
  const openAssignments: Assignment[] = []
  let after: UrgencyCursor | undefined
  do {
    const page = await assignments.pageOpen(personId, { limit: limits.pageMax, after })
    openAssignments.push(...page.items)
    after = page.next
  } while (after?.hasDueDate)
  return openAssignments
}

async function readOne({ assignments }: Deps, key: string): Promise<Assignment[]> {
  return [...(await assignments.byKeys([key])).values()].filter(({ status }) => status === 'assigned')
}

function isDue(assignment: Assignment): assignment is Assignment & { due: DueDate } {
  return assignment.due !== null
}
