import { limits } from '@watchline/contracts/limits'
import type { Person } from '@watchline/identity/people'
import type { PlaybackContext } from '../context.ts'
import { limitOfEach } from '../rules/assignee-limit.ts'
import type { AssigneeSummary, Assignees } from '../store/assignees.ts'
import { findFormerMembers } from './find-former-leaders.ts'
import { findSubordinates } from './find-subordinates.ts'

type Deps = Pick<PlaybackContext, 'assignments' | 'teams' | 'people' | 'formerLeaders'>

/**
 * The ids of the people whose assignments the caller may see; undefined means all people. A
 * supervisor also sees those of former members who are deactivated, because supervisors may still
 * change and withdraw them.
 */
export async function findVisiblePeople(
  ctx: Pick<Deps, 'teams' | 'people' | 'formerLeaders'>,
  caller: Person,
): Promise<string[] | undefined> {
  const ids = (await findSubordinates(ctx, caller))?.map(({ id }) => id)
  return ids && caller.role === 'supervisor'
    ? [...new Set([...ids, ...(await findFormerMembers(ctx, caller.id))])]
    : ids
}

/** The ids of the deactivated people whose assignments the caller may see. */
export async function findVisibleDeactivated(
  ctx: Pick<Deps, 'teams' | 'people' | 'formerLeaders'>,
  caller: Person,
): Promise<string[]> {
  const visibleIds = await findVisiblePeople(ctx, caller)
  if (!visibleIds) return ctx.people.deactivatedIds()
  return (await ctx.people.byIds(visibleIds)).flatMap(({ id, deactivatedAt }) => (deactivatedAt ? [id] : []))
}

/**
 * The assignees of playlists whom the caller may see, or only one person if they may. Each playlist
 * lists the latest of them, within the bounds of an answer. Playlists without any are absent.
 */
export async function findVisibleAssignees(
  ctx: Deps,
  caller: Person,
  playlistIds: readonly string[],
  onlyPersonId?: string,
): Promise<Map<string, AssigneeSummary>> {
  const visibleIds = await findVisiblePeople(ctx, caller)
  if (onlyPersonId === undefined)
    return visibleIds ? findAmong(ctx, playlistIds, visibleIds) : findAmongEverybody(ctx, playlistIds)
  const isVisible = !visibleIds || visibleIds.includes(onlyPersonId)
  return isVisible ? findAmong(ctx, playlistIds, [onlyPersonId]) : new Map()
}

async function findAmong(
  { assignments }: Pick<Deps, 'assignments'>,
  playlistIds: readonly string[],
  personIds: readonly string[],
): Promise<Map<string, AssigneeSummary>> {
  const found = await assignments.findAssignees(playlistIds, { personIds })
  const limit = findLimit([...found.values()].map(assignees => assignees.personIds.length))
  return new Map([...found].map(([id, assignees]) => [id, summarise(assignees, assignees.personIds.length, limit)]))
}

/** Summaries come from memory. Only lists that are longer than theirs are read. */
async function findAmongEverybody(
  { assignments }: Pick<Deps, 'assignments'>,
  playlistIds: readonly string[],
): Promise<Map<string, AssigneeSummary>> {
  const summaries = new Map<string, AssigneeSummary>()
  await Promise.all(
    playlistIds.map(async id => {
      const summary = await assignments.summaries.get(id)
      if (summary) summaries.set(id, summary)
    }),
  )
  const limit = findLimit([...summaries.values()].map(({ count }) => count))
  const longerIds = [...summaries].flatMap(([id, { count, personIds }]) =>
    Math.min(count, limit) > personIds.length ? [id] : [],
  )
  const longer: Map<string, Assignees> =
    longerIds.length > 0 ? await assignments.findAssignees(longerIds, { everybody: true, limit }) : new Map()
  return new Map(
    [...summaries].map(([id, summary]) => [id, summarise(longer.get(id) ?? summary, summary.count, limit)]),
  )
}

function findLimit(counts: readonly number[]): number {
  return limitOfEach(counts, { most: limits.assignMaxPeople, total: limits.assigneesPerAnswer })
}

function summarise({ personIds, latest }: Assignees, count: number, limit: number): AssigneeSummary {
  return { personIds: personIds.slice(0, limit), latest, count: Math.max(count, personIds.length) }
}
