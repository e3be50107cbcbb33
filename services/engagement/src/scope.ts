import { compareByName, nameKey } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import { managedKey, teamKey, topManagementKey } from '@watchline/identity/people-groups'
import type { EngagementContext } from './context.ts'
import { seesEverything } from './rules/rights.ts'

/** The trainees whose watching is the caller's business, by name; undefined for everybody's. */
export async function scopeOf(
  { groups }: Pick<EngagementContext, 'groups'>,
  person: Person,
): Promise<Person[] | undefined> {
  if (seesEverything(person)) return undefined
  const key = person.role === 'supervisor' ? teamKey(person.id) : managedKey(person.id)
  const all = person.role === 'user' ? [] : ((await groups.get(key)) ?? [])
  return all.filter(each => each.role === 'user').sort(compareByName)
}

/** Whose comments the caller may read; undefined for everybody's. Their own people and the chain above them. */
export async function authorsFor(
  { groups, people }: Pick<EngagementContext, 'groups' | 'people'>,
  person: Person,
): Promise<string[] | undefined> {
  if (seesEverything(person)) return undefined
  const supervisorId = person.role === 'supervisor' ? person.id : person.role === 'user' ? person.supervisorId : null
  const supervisor = person.role === 'supervisor' ? person : supervisorId ? await people.get(supervisorId) : undefined
  const [team, managed, top] = await Promise.all([
    supervisorId ? groups.get(teamKey(supervisorId)) : undefined,
    person.role === 'manager' ? groups.get(managedKey(person.id)) : undefined,
    groups.get(topManagementKey),
  ])
  const ids = [
    person.id,
    ...[...(team ?? []), ...(managed ?? []), ...(top ?? [])].map(each => each.id),
    ...(supervisorId ? [supervisorId] : []),
    ...(supervisor?.managerId ? [supervisor.managerId] : []),
  ]
  return [...new Set(ids)]
}

export interface ScopePage {
  people: Person[]
  /** Where to go on, absent at the end. */
  next?: Pick<Person, 'id' | 'name'>
  total: number
}

/** A part of the caller's scope, by name. */
export async function scopePage(
  ctx: Pick<EngagementContext, 'groups' | 'people'>,
  person: Person,
  request: { limit: number; after?: Pick<Person, 'id' | 'name'> | undefined; search?: string | undefined },
): Promise<ScopePage> {
  const { limit, after, search } = request
  const own = await scopeOf(ctx, person)
  if (!own) {
    const [rows, total] = await Promise.all([
      ctx.people.page({ role: 'user', limit: limit + 1, search, after }),
      ctx.people.countOf('user'),
    ])
    return page(rows, limit, total)
  }
  const wanted = search && nameKey(search)
  const found = wanted ? own.filter(each => nameKey(each.name).includes(wanted)) : own
  return page(after ? found.filter(each => compareByName(each, after) > 0) : found, limit, own.length)
}

function page(rows: Person[], limit: number, total: number): ScopePage {
  const people = rows.slice(0, limit)
  const last = people.at(-1)
  return { people, total, ...(rows.length > limit && last && { next: { id: last.id, name: last.name } }) }
}

/** Everyone of the caller's scope, piece by piece. */
export async function* wholeScope(
  ctx: Pick<EngagementContext, 'groups' | 'people'>,
  person: Person,
  size: number,
): AsyncGenerator<Person[]> {
  let after: Pick<Person, 'id' | 'name'> | undefined
  do {
    const part = await scopePage(ctx, person, { limit: size, after })
    if (part.people.length > 0) yield part.people
    after = part.next
  } while (after)
}
