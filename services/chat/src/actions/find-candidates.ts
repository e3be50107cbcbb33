import { limits } from '@watchline/contracts/limits'
import { compareByName, type NamedItem, nameKey } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import { managedKey, teamKey } from '@watchline/identity/teams'
import type { ChatContext } from '../context.ts'
import { relationOf } from '../rules/adjacency.ts'

/**
 * The people a person may write to, whether or not they have a room. Administrators may write to
 * anyone, but see no candidates.
 */
interface Candidates {
  /** The person's own superior and reports: few. */
  adjacent: Person[]
  /** Everybody of this role, too. */
  role?: 'manager' | 'director'
}

async function candidatesOf(ctx: ChatContext, person: Person): Promise<Candidates> {
  const getPerson = async (id: string | null) => (id === null ? undefined : ctx.people.get(id))
  const getTeam = async (key: string) => (await ctx.teams.get(key)) ?? []
  const keepAdjacent = (people: readonly (Person | undefined)[]) =>
    people.filter(
      (candidate): candidate is Person => candidate !== undefined && relationOf(person, candidate) !== undefined,
    )
  switch (person.role) {
    case 'user':
      return { adjacent: keepAdjacent([await getPerson(person.supervisorId)]) }
    case 'supervisor': {
      const [team, manager] = await Promise.all([getTeam(teamKey(person.id)), getPerson(person.managerId)])
      return { adjacent: keepAdjacent([...team, manager]) }
    }
    case 'manager': {
      const managed = keepAdjacent(await getTeam(managedKey(person.id)))
      return { adjacent: managed.filter(({ role }) => role === 'supervisor'), role: 'director' }
    }
    case 'director':
      return { adjacent: [], role: 'manager' }
    case 'admin':
      return { adjacent: [] }
  }
}

/** One page of candidates, by name. */
export async function findCandidates(
  ctx: ChatContext,
  person: Person,
  { after, limit, search }: { after?: NamedItem | undefined; limit: number; search?: string | undefined },
): Promise<Person[]> {
  const { adjacent, role } = await candidatesOf(ctx, person)
  const ofRole = role ? await ctx.people.page({ role, limit, search, after }) : []
  const isOnPage = (candidate: Person) =>
    matchesSearch(candidate, search) && (!after || compareByName(after, candidate) < 0)
  return [...adjacent.filter(isOnPage), ...ofRole].sort(compareByName).slice(0, limit)
}

/** With a search, counts up to `limits.maxCountedTotal`. */
export async function countCandidates(ctx: ChatContext, person: Person, search: string | undefined): Promise<number> {
  const { adjacent, role } = await candidatesOf(ctx, person)
  const adjacentCount = adjacent.filter(candidate => matchesSearch(candidate, search)).length
  if (!role) return adjacentCount
  const roleCount = search
    ? (await ctx.people.page({ role, limit: limits.maxCountedTotal, search })).length
    : await ctx.people.countOf(role)
  return adjacentCount + roleCount
}

export function matchesSearch({ name }: Pick<Person, 'name'>, search: string | undefined): boolean {
  return !search || nameKey(name).includes(nameKey(search))
}
