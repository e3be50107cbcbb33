import { seesEverything } from '@watchline/contracts/people'
import { compareByName, nameKey, sortByName } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import { managedKey, teamKey } from '@watchline/identity/teams'
import { fail } from '@watchline/kit/core/errors'
import { cutPage } from '@watchline/kit/http/paging'
import { z } from 'zod'
import type { EngagementContext } from '../context.ts'
import { countUpTo } from '../rules/count-up-to.ts'

/** The part of the organisation that a caller asks for, as queries carry it. */
export interface ScopeFilter {
  supervisor_id?: string | undefined
  manager_id?: string | undefined
}

/**
 * The trainees whose watching the caller may see, by name. Undefined if the caller sees everybody
 * and does not narrow the scope. Throws `forbidden` if the caller may not narrow it.
 */
export async function findScope(
  { teams }: Pick<EngagementContext, 'teams'>,
  person: Person,
  filter: ScopeFilter = {},
): Promise<Person[] | undefined> {
  const key = seesEverything(person) ? filterKey(filter) : ownKey(person, filter)
  if (key === undefined) return seesEverything(person) ? undefined : []
  const people = (await teams.get(key)) ?? []
  return sortByName(people.filter(({ role }) => role === 'user'))
}

function filterKey({ supervisor_id, manager_id }: ScopeFilter): string | undefined {
  if (supervisor_id !== undefined) return teamKey(supervisor_id)
  return manager_id === undefined ? undefined : managedKey(manager_id)
}

function ownKey({ id, role }: Person, filter: ScopeFilter): string | undefined {
  if (filterKey(filter) !== undefined) fail('forbidden')
  if (role === 'supervisor') return teamKey(id)
  return role === 'manager' ? managedKey(id) : undefined
}

/** The last person of a page, as the cursor carries them. */
export const personCursor = z.object({ id: z.string().max(64), name: z.string().max(500) })
type PersonCursor = z.infer<typeof personCursor>

export interface ScopePage {
  people: Person[]
  /** Absent on the last page. */
  next?: PersonCursor
  /** Number of people who match the search; at most limits.maxCountedTotal if there is a search. */
  total: number
}

interface ScopeQuery {
  limit: number
  after?: PersonCursor | undefined
  search?: string | undefined
  filter?: ScopeFilter
}

/** A page of the caller's scope, by name. */
export async function pageScope(
  ctx: Pick<EngagementContext, 'teams' | 'people'>,
  person: Person,
  query: ScopeQuery,
): Promise<ScopePage> {
  const { limit, after, search, filter } = query
  const scope = await findScope(ctx, person, filter)
  if (!scope) {
    const [rows, total] = await Promise.all([
      ctx.people.page({ role: 'user', limit: limit + 1, search, after }),
      ctx.people.countOf('user', search),
    ])
    return cutScopePage(rows, limit, total)
  }
  const searchKey = search && nameKey(search)
  const matches = searchKey ? scope.filter(({ name }) => nameKey(name).includes(searchKey)) : scope
  const remaining = after ? matches.filter(match => compareByName(match, after) > 0) : matches
  return cutScopePage(remaining, limit, matches.length)
}

/** A page of the people in this list whom the caller may still see. The list is by name. */
export async function pageListed(
  ctx: Pick<EngagementContext, 'teams' | 'people'>,
  person: Person,
  listed: readonly PersonCursor[],
  { limit, after, search, filter }: ScopeQuery,
): Promise<ScopePage> {
  const searchKey = search && nameKey(search)
  const matches = searchKey ? listed.filter(({ name }) => nameKey(name).includes(searchKey)) : listed
  const start = after ? countUpTo(matches, match => compareByName(match, after) > 0) : 0
  const page = matches.slice(start, start + limit)
  const people = await pickFromScope(
    ctx,
    person,
    page.map(({ id }) => id),
    filter,
  )
  const next = start + limit < matches.length ? page.at(-1) : undefined
  return { people, total: matches.length, ...(next && { next: { id: next.id, name: next.name } }) }
}

/** The people of a page in its order; those whom the caller may not see any more are left out. */
export async function pickInOrder(
  ctx: Pick<EngagementContext, 'teams' | 'people'>,
  person: Person,
  ids: readonly string[],
  filter: ScopeFilter = {},
): Promise<Person[]> {
  const found = new Map((await pickFromScope(ctx, person, ids, filter)).map(picked => [picked.id, picked]))
  return ids.flatMap(id => found.get(id) ?? [])
}

/** A page of the supervisors of a manager, or of all supervisors, by name. */
export async function pageSupervisors(
  { teams, people }: Pick<EngagementContext, 'teams' | 'people'>,
  person: Person,
  { limit, after }: ScopeQuery,
): Promise<ScopePage> {
  if (seesEverything(person)) {
    const [rows, total] = await Promise.all([
      people.page({ role: 'supervisor', limit: limit + 1, after }),
      people.countOf('supervisor'),
    ])
    return cutScopePage(rows, limit, total)
  }
  const managed = (await teams.get(managedKey(person.id))) ?? []
  const supervisors = sortByName(managed.filter(({ role }) => role === 'supervisor'))
  const remaining = after ? supervisors.filter(supervisor => compareByName(supervisor, after) > 0) : supervisors
  return cutScopePage(remaining, limit, supervisors.length)
}

/** Those of these people whom the caller may see, by name. */
export async function pickFromScope(
  ctx: Pick<EngagementContext, 'teams' | 'people'>,
  person: Person,
  ids: readonly string[],
  filter: ScopeFilter = {},
): Promise<Person[]> {
  const scope = await findScope(ctx, person, filter)
  const requestedIds = new Set(ids)
  if (scope) return scope.filter(({ id }) => requestedIds.has(id))
  const people = await Promise.all([...requestedIds].map(id => ctx.people.get(id)))
  return sortByName(people.flatMap(found => (found?.role === 'user' ? [found] : [])))
}

/** The caller's whole scope by name, in pages of `size` people. */
export async function* walkScope(
  ctx: Pick<EngagementContext, 'teams' | 'people'>,
  person: Person,
  size: number,
  filter: ScopeFilter = {},
): AsyncGenerator<Person[]> {
  const scope = await findScope(ctx, person, filter)
  if (!scope) return yield* walkEverybody(ctx, size)
  for (let at = 0; at < scope.length; at += size) yield scope.slice(at, at + size)
}

/** All trainees by name, in pages of `size` people. */
export async function* walkEverybody(
  { people }: Pick<EngagementContext, 'people'>,
  size: number,
): AsyncGenerator<Person[]> {
  let after: PersonCursor | undefined
  do {
    const page = await people.page({ role: 'user', limit: size, after })
    if (page.length > 0) yield page
    const last = page.at(-1)
    after = last && page.length === size ? { id: last.id, name: last.name } : undefined
  } while (after)
}

function cutScopePage(matches: readonly Person[], limit: number, total: number): ScopePage {
  const { items: people, ...page } = cutPage(matches, limit, ({ id, name }) => ({ id, name }))
  return { people, total, ...page }
}
