import { limits } from '@watchline/contracts/limits'
import { assignableRole, type Role } from '@watchline/contracts/people'
import {
  type Person,
  toPerson as presentPerson,
  type StoredPersonFields,
  toPersonSnapshot,
} from '@watchline/identity/people'
import type { TimeCursor } from '@watchline/kit/http/paging'
import { fullScan, isText, pageById, retireIndexes } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'
import { searchTerms, searchWords } from '../rules/search.ts'
import { coalesceCalls } from './coalesce-calls.ts'
import { createSearchableList, hasWordStartingWith } from './searchable-list.ts'

/** A person as their owner knows them. */
export interface PersonRecord extends Person {
  /** How many are directly under a supervisor or manager. Kept in the transactions that change teams. */
  teamSize: number
  /** Brought in by an import and not signed in yet: no account is theirs. */
  invited: boolean
}

export interface Identity {
  issuer: string
  subject: string
}

export interface StoredPerson extends StoredPersonFields {
  /** Absent for administrators, who sign in with a password, and for who is invited. */
  issuer?: string
  subject?: string
  /** Only while the person waits for their first sign-in. */
  invited?: true
  created_at: Date
  team_size: number
  search_words: string[]
  /** Raised by transactions that rely on what this person is, see `rely`. */
  relied_on?: number
}

/** What may change of a person; every change makes their version one higher. */
export type PersonChange = Partial<
  Pick<PersonRecord, 'name' | 'email' | 'picture' | 'role' | 'supervisorId' | 'managerId' | 'teamSize'>
>

export interface PeopleQuery {
  roles: readonly Role[]
  /** Only this supervisor's team. */
  supervisorId?: string
  /** Only this manager's supervisors and their teams. */
  managerId?: string
  /** Only those without a manager. */
  unmanaged?: boolean
  search?: string
  after?: TimeCursor
  limit: number
}

/** A count of very many is good for so long. */
const countedAgainMs = 10_000

export type PeopleStore = ReturnType<typeof createPeopleStore>

export function createPeopleStore(connection: Connection) {
  const schema = new Schema<StoredPerson>(
    {
      _id: String,
      issuer: String,
      subject: String,
      invited: Boolean,
      name: String,
      email: String,
      picture: String,
      role: String,
      supervisor_id: String,
      manager_id: String,
      created_at: Date,
      version: Number,
      team_size: Number,
      search_words: [String],
      relied_on: Number,
    },
    { versionKey: false, collection: 'people' },
  )
  schema.index(
    { issuer: 1, subject: 1 },
    { unique: true, partialFilterExpression: { issuer: isText }, name: 'account' },
  )
  schema.index({ role: 1, created_at: -1, _id: -1 }, { name: 'newest' })
  schema.index({ role: 1, manager_id: 1, created_at: -1, _id: -1 }, { name: 'managed' })
  schema.index({ role: 1, search_words: 1, created_at: -1, _id: -1, manager_id: 1 }, { name: 'words' })
  schema.index({ supervisor_id: 1 }, { partialFilterExpression: { supervisor_id: isText }, name: 'team' })
  schema.index({ manager_id: 1 }, { partialFilterExpression: { manager_id: isText }, name: 'supervisors' })
  schema.index({ email: 1 }, { name: 'email' })
  schema.index({ email: 1 }, { unique: true, partialFilterExpression: { invited: true }, name: 'invited' })
  retireIndexes(schema, 'identity', 'supervisor_id_1', 'manager_id_1')
  const stored = connection.model<StoredPerson>('Person', schema)
  // One document that only one transaction can make: there is at most one first administrator.
  const seats = connection.model<{ _id: string; person_id: string }>(
    'AdminSeat',
    new Schema({ _id: String, person_id: String }, { versionKey: false, collection: 'admin_seats' }),
  )

  const many = async (filter: QueryFilter<StoredPerson>, session?: ClientSession) =>
    (
      await stored
        .find(filter)
        .session(session ?? null)
        .lean()
    ).map(toPersonRecord)

  const listed = createSearchableList(stored, 'created_at')
  /** As of the last time it was counted. */
  let counts: { at: number; byRole: Map<Role, number> } | undefined

  /** Each by itself: MongoDB counts the keys of one value without looking at them. */
  const countByRole = coalesceCalls(async () => {
    const counted = assignableRole.options.map(
      async role => [role, await stored.countDocuments({ role }).hint('newest')] as const,
    )
    const byRole = new Map<Role, number>(await Promise.all(counted))
    counts = { at: performance.now(), byRole }
    return byRole
  })

  /** How many have one of these roles if that is very many, counted anew after a while: of so many one more is no matter. */
  async function manyWith(roles: readonly Role[]): Promise<number | undefined> {
    if (counts === undefined || performance.now() - counts.at > countedAgainMs) await countByRole()
    const sum = roles.reduce((sum, role) => sum + (counts!.byRole.get(role) ?? 0), 0)
    return sum > limits.countedAtMost ? sum : undefined
  }

  async function scopeOf(query: PeopleQuery): Promise<QueryFilter<StoredPerson> | undefined> {
    const { supervisorId, managerId, roles } = query
    if (supervisorId !== undefined) return { supervisor_id: supervisorId }
    if (managerId === undefined) return undefined
    if (!roles.includes('user')) return { manager_id: managerId }
    const supervisors = await stored.find({ manager_id: managerId }, { _id: 1 }).lean()
    return { $or: [{ manager_id: managerId }, { supervisor_id: { $in: supervisors.map(row => row._id) } }] }
  }

  return {
    byId: async (id: string, session?: ClientSession): Promise<PersonRecord | undefined> => {
      const row = await stored
        .findById(id)
        .session(session ?? null)
        .lean()
      return row ? toPersonRecord(row) : undefined
    },

    byIdentity: async ({ issuer, subject }: Identity, session?: ClientSession): Promise<PersonRecord | undefined> => {
      const row = await stored
        .findOne({ issuer, subject })
        .session(session ?? null)
        .lean()
      return row ? toPersonRecord(row) : undefined
    },

    insert: async (person: Person, identity: Identity | undefined, session: ClientSession): Promise<void> => {
      await stored.create([{ ...toStoredPerson(person), ...identity }], { session })
    },

    /** Changes a person and raises their version; answers them as they are then. */
    change: async (person: PersonRecord, change: PersonChange, session: ClientSession): Promise<PersonRecord> => {
      const next = { ...person, ...change }
      const row = await stored
        .findOneAndUpdate(
          { _id: person.id, version: person.version },
          {
            $set: {
              name: next.name,
              email: next.email,
              picture: next.picture,
              role: next.role,
              supervisor_id: next.supervisorId,
              manager_id: next.managerId,
              search_words: searchWords(next.name, next.email),
              ...(change.teamSize !== undefined && { team_size: change.teamSize }),
            },
            $inc: { version: 1 },
          },
          { session, returnDocument: 'after' },
        )
        .lean()
      if (!row) throw new Error('a person changed inside a transaction that had read them')
      return toPersonRecord(row)
    },

    /**
     * Puts one more under a supervisor or manager; false when they have not that role or no place left. It writes to the leader,
     * so that of transactions that change one team at once MongoDB lets only one through at a time.
     */
    takeSeat: async (leaderId: string, role: 'supervisor' | 'manager', session: ClientSession): Promise<boolean> => {
      const { matchedCount } = await stored.updateOne(
        { _id: leaderId, role, ...(role === 'supervisor' && { team_size: { $lt: limits.supervisorCapacity } }) },
        { $inc: { team_size: 1 } },
        { session },
      )
      return matchedCount === 1
    },

    /**
     * Makes sure that a person keeps a role until the transaction is through; false when they have it no longer. It writes to
     * them, so that MongoDB lets no other transaction change them meanwhile.
     */
    lockRole: async (id: string, role: Role, session: ClientSession): Promise<boolean> => {
      const { matchedCount } = await stored.updateOne({ _id: id, role }, { $inc: { relied_on: 1 } }, { session })
      return matchedCount === 1
    },

    releaseSeat: async (leaderId: string, session: ClientSession): Promise<void> => {
      await stored.updateOne({ _id: leaderId }, { $inc: { team_size: -1 } }, { session })
    },

    teamOf: (supervisorId: string, session?: ClientSession) => many({ supervisor_id: supervisorId }, session),
    supervisorsOf: (managerId: string, session?: ClientSession) => many({ manager_id: managerId }, session),
    byIds: (ids: readonly string[]) => many({ _id: { $in: [...ids] } }),

    /** The names of people by their ids. */
    namesOf: async (ids: readonly (string | null)[], session?: ClientSession): Promise<Map<string, string>> => {
      const wanted = [...new Set(ids.filter(id => id !== null))]
      if (wanted.length === 0) return new Map()
      const rows = await stored
        .find({ _id: { $in: wanted } }, { name: 1 })
        .session(session ?? null)
        .lean()
      return new Map(rows.map(row => [row._id, row.name]))
    },

    /** A page of people, newest first, and how many there are in all. */
    list: async (
      query: PeopleQuery,
    ): Promise<{ people: PersonRecord[]; total: number; next: TimeCursor | undefined }> => {
      const { roles, search, unmanaged, after, limit } = query
      const scope = await scopeOf(query)
      const isSearched = searchTerms(search).length > 0
      // MongoDB finds null by its key in the order of the list, but must look at the document; that nothing is greater it knows.
      const noManager = isSearched ? { $not: { $gt: '' } } : null
      const filter = { role: { $in: [...roles] }, ...(unmanaged && { manager_id: noManager }), ...scope }
      const isAll = !scope && !unmanaged && !isSearched
      const total = isAll ? await manyWith(roles) : undefined
      const page = await listed({ filter, search, after, limit, total, orderIndex: scope ? undefined : 'newest' })
      return { people: page.rows.map(toPersonRecord), total: page.total, next: page.next }
    },

    /** Gives words to be found by to people who were stored before there were any. */
    addSearchWords: async (): Promise<void> => {
      for (;;) {
        const rows = await stored
          .find({ search_words: { $exists: false } }, { name: 1, email: 1 }, fullScan)
          .limit(1_000)
          .lean()
        if (rows.length === 0) return
        await stored.bulkWrite(
          rows.map(({ _id, name, email }) => ({
            updateOne: { filter: { _id }, update: { $set: { search_words: searchWords(name, email) } } },
          })),
        )
      }
    },

    /** How many people there are of each role. */
    countByRole,

    /** How many supervisors have a manager. */
    countManaged: () => stored.countDocuments({ role: 'supervisor', manager_id: { $gt: '' } }).hint('managed'),

    /** Everybody, ordered by id, for the projections of other services. */
    afterId: async (after: string, limit: number): Promise<PersonRecord[]> =>
      (await pageById(stored, { after, limit })).map(toPersonRecord),

    /** The accounts of one issuer and who is invited, by e-mail, for the page of the development provider. */
    searchAccounts: async (
      issuer: string,
      search: string,
      limit: number,
    ): Promise<{ people: PersonRecord[]; more: boolean }> => {
      const wanted = searchTerms(search).map(hasWordStartingWith)
      const [accounts, invited] = await Promise.all([
        stored
          .find({ $and: [{ issuer }, ...wanted] })
          .sort({ issuer: 1, subject: 1 })
          .limit(limit + 1)
          .lean(),
        stored
          .find({ $and: [{ invited: true }, ...wanted] })
          .sort({ email: 1 })
          .limit(limit + 1)
          .lean(),
      ])
      const rows = [...accounts, ...invited]
      return { people: rows.slice(0, limit).map(toPersonRecord), more: rows.length > limit }
    },

    hasAdmin: async (): Promise<boolean> => (await seats.exists({ _id: 'first' })) !== null,

    /** Rejects with a duplicate key when there is an administrator already. */
    claimFirstAdmin: async (personId: string, session: ClientSession): Promise<void> => {
      await seats.create([{ _id: 'first', person_id: personId }], { session })
    },
  }
}

/** A new person as they are stored; who is under whom is the caller's to count. */
export function toStoredPerson(person: Person): StoredPerson {
  const { id, created_at, ...fields } = toPersonSnapshot(person)
  return {
    _id: id,
    ...fields,
    created_at: new Date(created_at),
    team_size: 0,
    search_words: searchWords(person.name, person.email),
  }
}

export function toPersonRecord(row: StoredPerson): PersonRecord {
  return { ...presentPerson(row), teamSize: row.team_size, invited: row.invited === true }
}
