import { limits } from '@watchline/contracts/limits'
import { assignableRole, type Role } from '@watchline/contracts/people'
import { fullScan } from '@watchline/kit/mongo/database'
import type { ListOrder, PageEnd } from '@watchline/kit/mongo/list-order'
import type { QueryFilter } from 'mongoose'
import { searchTerms, searchWords } from '../rules/search.ts'
import { coalesceCalls } from './coalesce-calls.ts'
import { type PersonModel, type PersonRecord, type StoredPerson, toPersonRecord } from './person-model.ts'
import { createSearchableList, hasWordStartingWith } from './searchable-list.ts'

export interface DirectoryQuery {
  roles: readonly Role[]
  /** Only this supervisor's team. */
  supervisorId?: string
  /** Only this manager's supervisors and their teams. */
  managerId?: string
  /** Only people without a manager. */
  unmanaged?: boolean
  /** Only people without a supervisor. */
  withoutTeam?: boolean
  /** Only people who are not deactivated. */
  activeOnly?: boolean
  search?: string
  sort: PeopleSort
  order: 'asc' | 'desc'
  after?: PageEnd
  limit: number
}

export interface DirectoryPage {
  people: PersonRecord[]
  total: number
  next: PageEnd | undefined
}

export type PeopleSort = 'name' | 'role' | 'joined' | 'team_size'

const byName = { name: 'name_key', type: 'text' } as const
const orders: Record<PeopleSort, { fields: ListOrder['fields']; index: string }> = {
  name: { fields: [byName], index: 'names' },
  role: { fields: [{ name: 'role', type: 'text' }, byName], index: 'names' },
  joined: { fields: [{ name: 'created_at', type: 'time' }], index: 'newest' },
  team_size: { fields: [{ name: 'team_size', type: 'count' }, byName], index: 'team_sizes' },
}

/** By role means director, manager, supervisor, user; names decide between equals. */
export function peopleOrder({ sort, order }: Pick<DirectoryQuery, 'sort' | 'order'>): ListOrder {
  return { fields: orders[sort].fields, direction: order === 'asc' ? 1 : -1 }
}

/**
 * Matches null by index keys alone. A key cannot prove null, so the condition `null` reads the
 * document.
 */
const none = { $not: { $gt: '' } }
const countTtlMs = 10_000
const backfillBatchSize = 1_000

export type PeopleDirectory = ReturnType<typeof createPeopleDirectory>

/** How many people have a role. */
export interface RoleCount {
  active: number
  deactivated: number
}

/** Lists, searches and counts people. */
export function createPeopleDirectory(model: PersonModel) {
  const listPeople = createSearchableList(model, 'status_list_words')
  let cachedCounts: { at: number; byRole: Map<Role, RoleCount> } | undefined

  /** MongoDB counts the index keys of a single value without reading them. */
  async function countRole(role: Role): Promise<RoleCount> {
    const [all, deactivated] = await Promise.all([
      model.countDocuments({ role }).hint('newest'),
      model.countDocuments({ role, deactivated_at: { $gt: '' } }).hint('deactivated'),
    ])
    return { active: all - deactivated, deactivated }
  }

  const countByRole = coalesceCalls(async () => {
    const counts = assignableRole.options.map(async role => [role, await countRole(role)] as const)
    const byRole = new Map<Role, RoleCount>(await Promise.all(counts))
    cachedCounts = { at: performance.now(), byRole }
    return byRole
  })

  /** The number of people with one of these roles. A large number may be some seconds old. */
  async function countMany(roles: readonly Role[], activeOnly: boolean): Promise<number> {
    const sum = (counts: readonly (RoleCount | undefined)[]) =>
      counts.reduce((total, count) => total + (count ? count.active + (activeOnly ? 0 : count.deactivated) : 0), 0)
    if (cachedCounts === undefined || performance.now() - cachedCounts.at > countTtlMs) await countByRole()
    const cached = sum(roles.map(role => cachedCounts!.byRole.get(role)))
    return cached > limits.maxCountedTotal ? cached : sum(await Promise.all(roles.map(countRole)))
  }

  async function teamFilter(query: DirectoryQuery): Promise<QueryFilter<StoredPerson> | undefined> {
    const { supervisorId, managerId, roles } = query
    if (supervisorId !== undefined) return { supervisor_id: supervisorId }
    if (managerId === undefined) return undefined
    if (!roles.includes('user')) return { manager_id: managerId }
    const supervisors = await model.find({ manager_id: managerId }, { _id: 1 }).lean()
    return { $or: [{ manager_id: managerId }, { supervisor_id: { $in: supervisors.map(row => row._id) } }] }
  }

  return {
    /** A page of people, with the number of all matches. */
    list: async (query: DirectoryQuery): Promise<DirectoryPage> => {
      const { roles, search, unmanaged, withoutTeam, activeOnly = false, after, limit, sort } = query
      const team = await teamFilter(query)
      const filter = {
        role: { $in: [...roles] },
        ...(unmanaged && { manager_id: none }),
        ...(withoutTeam && { supervisor_id: none }),
        ...(activeOnly && { deactivated_at: none }),
        ...team,
      }
      const isFiltered = team !== undefined || unmanaged === true || withoutTeam === true
      const total = isFiltered || searchTerms(search).length > 0 ? undefined : await countMany(roles, activeOnly)
      const listIndex = unmanaged ? 'status_manager_names' : withoutTeam ? 'status_team_names' : orders[sort].index
      const orderIndex = team ? undefined : listIndex
      const page = await listPeople({ filter, search, order: peopleOrder(query), after, limit, total, orderIndex })
      return { people: page.rows.map(toPersonRecord), total: page.total, next: page.next }
    },

    countByRole,

    countManagedSupervisors: () =>
      model.countDocuments({ role: 'supervisor', manager_id: { $gt: '' } }).hint('status_manager_names'),

    /**
     * The accounts of one issuer, and invited people, by email: for the page of the development
     * provider.
     */
    searchAccounts: async (
      issuer: string,
      search: string,
      limit: number,
    ): Promise<{ people: PersonRecord[]; more: boolean }> => {
      const conditions = searchTerms(search).map(hasWordStartingWith)
      const [accounts, invited] = await Promise.all([
        model
          .find({ $and: [{ issuer }, ...conditions] })
          .sort({ issuer: 1, subject: 1 })
          .limit(limit + 1)
          .lean(),
        model
          .find({ $and: [{ invited: true }, ...conditions] })
          .sort({ email: 1 })
          .limit(limit + 1)
          .lean(),
      ])
      const rows = [...accounts, ...invited]
      return { people: rows.slice(0, limit).map(toPersonRecord), more: rows.length > limit }
    },

    /**
     * Makes people searchable who were stored without search words: by older versions, or by an
     * interrupted import.
     */
    addMissingSearchWords: async (): Promise<void> => {
      for (;;) {
        const rows = await model
          .find({ search_words: { $exists: false } }, { name: 1, email: 1 }, fullScan)
          .limit(backfillBatchSize)
          .lean()
        if (rows.length === 0) return
        await model.bulkWrite(
          rows.map(({ _id, name, email }) => ({
            updateOne: { filter: { _id }, update: { $set: { search_words: searchWords(name, email) } } },
          })),
        )
      }
    },
  }
}
