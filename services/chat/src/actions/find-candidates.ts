import { limits } from '@watchline/contracts/limits'
import { compareByName, type NamedItem, nameKey } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import { managedKey, teamKey } from '@watchline/identity/people-groups'
import type { ChatContext } from '../context.ts'
import { relationOf } from '../rules/adjacency.ts'

/** Those a person may write to, whether or not they have; administrators write to anyone and are told of nobody. */
interface Candidates {
  /** By nature few. */
  near: Person[]
  /** Everybody of that role. */
  role?: 'manager' | 'director'
}

async function candidatesOf(ctx: ChatContext, person: Person): Promise<Candidates> {
  const one = async (id: string | null) => (id === null ? undefined : ctx.people.get(id))
  const group = async (key: string) => (await ctx.groups.get(key)) ?? []
  const adjacent = (people: readonly (Person | undefined)[]) =>
    people.filter((each): each is Person => each !== undefined && relationOf(person, each) !== undefined)
  switch (person.role) {
    case 'user':
      return { near: adjacent([await one(person.supervisorId)]) }
    case 'supervisor': {
      const [team, manager] = await Promise.all([group(teamKey(person.id)), one(person.managerId)])
      return { near: adjacent([...team, manager]) }
    }
    case 'manager':
      return {
        near: adjacent(await group(managedKey(person.id))).filter(each => each.role === 'supervisor'),
        role: 'director',
      }
    case 'director':
      return { near: [], role: 'manager' }
    case 'admin':
      return { near: [] }
  }
}

/** By name, those after a place. */
export async function candidatesAfter(
  ctx: ChatContext,
  person: Person,
  { after, limit, search }: { after?: NamedItem | undefined; limit: number; search?: string | undefined },
): Promise<Person[]> {
  const { near, role } = await candidatesOf(ctx, person)
  const far = role ? await ctx.people.page({ role, limit, search, after }) : []
  return [...near.filter(each => matches(each, search) && (!after || compareByName(after, each) < 0)), ...far]
    .sort(compareByName)
    .slice(0, limit)
}

/** Counted to a bound: that many or more. */
export async function countCandidates(ctx: ChatContext, person: Person, search: string | undefined): Promise<number> {
  const { near, role } = await candidatesOf(ctx, person)
  const found = near.filter(each => matches(each, search)).length
  if (!role) return found
  const far = search
    ? (await ctx.people.page({ role, limit: limits.countedAtMost, search })).length
    : await ctx.people.countOf(role)
  return found + far
}

export function matches({ name }: Pick<Person, 'name'>, search: string | undefined): boolean {
  return !search || nameKey(name).includes(nameKey(search))
}
