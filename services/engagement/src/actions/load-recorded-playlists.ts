import { conditionsOf } from '@watchline/contracts/conditions'
import type { EngagementContext } from '../context.ts'
import { summarisePlaylist, watchedPlaylistIds } from '../rules/overview.ts'
import type { Playlist } from '../rules/playlist.ts'
import type { RecordedPlaylist } from '../rules/record/recorded-playlist.ts'
import { assignmentKey, type Reset } from '../store/assignments.ts'
import type { Member } from './load-members.ts'

type Deps = Pick<EngagementContext, 'projections' | 'people'>

/** A member's record: the assigned playlists, then those watched without an assignment. */
export async function loadRecordedPlaylists(
  ctx: Deps,
  member: Pick<Member, 'person' | 'assigned' | 'watches' | 'completedIds'>,
): Promise<RecordedPlaylist[]> {
  const [record] = await loadRecordedPlaylistsOf(ctx, [member])
  return record!
}

/** The records of members, in their order. */
export async function loadRecordedPlaylistsOf(
  ctx: Deps,
  members: readonly Pick<Member, 'person' | 'assigned' | 'watches' | 'completedIds'>[],
): Promise<RecordedPlaylist[][]> {
  const keysOf = ({ person, assigned, watches }: (typeof members)[number]) =>
    [...new Set([...assigned.map(({ id }) => id), ...watchedPlaylistIds(watches)])].map(id =>
      assignmentKey(person.id, id),
    )
  const [watched, assignments] = await Promise.all([
    ctx.projections.loadKnown(members.flatMap(({ watches }) => watchedPlaylistIds(watches))),
    ctx.projections.assignments.byKeys(members.flatMap(keysOf)),
  ])
  const records = members.map(({ person, assigned, watches, completedIds }) => {
    const assignedIds = new Set(assigned.map(({ id }) => id))
    const unassignedIds = watchedPlaylistIds(watches).filter(id => !assignedIds.has(id))
    const playlists: Playlist[] = [...assigned, ...unassignedIds.flatMap(id => watched.get(id) ?? [])]
    return playlists.map(playlist => {
      const key = assignmentKey(person.id, playlist.id)
      const assignment = assignments.get(key)
      const isTask = assignedIds.has(playlist.id)
      const percent = conditionsOf(assignment?.conditions).required_percent
      return {
        key,
        overview: summarisePlaylist(playlist, watches, percent, completedIds.includes(playlist.id)),
        wasAssigned: assignment !== undefined,
        conditions: assignment?.conditions ?? null,
        // The deletion of a playlist ends its tasks, but no exception.
        override: isTask || playlist.deletedAt !== null ? (assignment?.override ?? null) : null,
        dueAt: isTask ? (assignment?.dueAt ?? null) : null,
        graceUntil: assignment?.graceUntil ?? null,
      }
    })
  })
  const restarted = records.flat().filter(({ overview }) => overview.earlierAttempts.length > 0)
  const resets = await ctx.projections.assignments.resetsOf(restarted.map(({ key }) => key))
  const present = async ({
    key,
    overview,
    wasAssigned,
    conditions,
    dueAt,
    graceUntil,
    ...task
  }: (typeof records)[number][number]): Promise<RecordedPlaylist> => {
    const override = overview.completed ? null : task.override
    return {
      ...{ overview, wasAssigned, conditions },
      due: dueAt && !overview.completed && !override ? { dueAt, graceUntil } : null,
      override: override && {
        ...{ kind: override.kind, at: override.at.toISOString() },
        ...(await presentDecision(ctx, override)),
      },
      earlierAttempts: await Promise.all(
        overview.earlierAttempts.map(async attempt => {
          const reset = resets.get(key)?.find(({ at }) => at.getTime() === attempt.endedAt)
          const endedDue = reset?.endedDue
          return { ...attempt, ...(await presentDecision(ctx, reset)), ...(endedDue && { endedDue }) }
        }),
      ),
    }
  }
  return Promise.all(records.map(record => Promise.all(record.map(present))))
}

async function presentDecision({ people }: Deps, decision: Pick<Reset, 'by' | 'reason'> | undefined) {
  const author = decision?.by ? await people.get(decision.by) : undefined
  return {
    by: author ? { id: author.id, name: author.name, role: author.role } : null,
    reason: decision?.reason ?? '',
  }
}
