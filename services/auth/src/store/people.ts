import { limits } from '@watchline/contracts/limits'
import type { Role } from '@watchline/contracts/people'
import type { Person } from '@watchline/kit/people'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'
import { searchKey } from '../rules/search.ts'

/** A person as their owner knows them. */
export interface PersonRecord extends Person {
  /** How many are directly under a supervisor or manager. Kept in the transactions that change teams. */
  teamSize: number
}

export interface Identity {
  issuer: string
  subject: string
}

interface StoredPerson {
  _id: string
  /** Absent for administrators, who sign in with a password. */
  issuer?: string
  subject?: string
  name: string
  email: string
  picture: string | null
  role: Role
  supervisor_id: string | null
  manager_id: string | null
  created_at: Date
  version: number
  team_size: number
  search_key: string
}

/** What may change of a person; every change makes their version one higher. */
export type PersonChange = Partial<
  Pick<PersonRecord, 'name' | 'email' | 'picture' | 'role' | 'supervisorId' | 'managerId' | 'teamSize'>
>

export interface Position {
  createdAt: number
  id: string
}

export interface PeopleQuery {
  roles: readonly Role[]
  /** Only this supervisor's team. */
  supervisorId?: string
  /** Only this manager's supervisors and their teams. */
  managerId?: string
  search?: string
  after?: Position
  limit: number
}

export type PeopleStore = ReturnType<typeof createPeopleStore>

export function createPeopleStore(connection: Connection) {
  const schema = new Schema<StoredPerson>(
    {
      _id: String,
      issuer: String,
      subject: String,
      name: String,
      email: String,
      picture: String,
      role: String,
      supervisor_id: String,
      manager_id: String,
      created_at: Date,
      version: Number,
      team_size: Number,
      search_key: String,
    },
    { versionKey: false, collection: 'people' },
  )
  schema.index(
    { issuer: 1, subject: 1 },
    { unique: true, partialFilterExpression: { issuer: { $type: 'string' } }, name: 'identity' },
  )
  // Lists are read in its order, and the search is decided on its keys: only what is shown is fetched.
  schema.index({ role: 1, created_at: -1, _id: -1, search_key: 1 }, { name: 'lists' })
  schema.index({ supervisor_id: 1 }, { partialFilterExpression: { supervisor_id: { $type: 'string' } } })
  schema.index({ manager_id: 1 }, { partialFilterExpression: { manager_id: { $type: 'string' } } })
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
    ).map(present)

  function filterOf(query: PeopleQuery, supervisors: string[]): QueryFilter<StoredPerson> {
    const filter: QueryFilter<StoredPerson> = { role: { $in: [...query.roles] } }
    if (query.supervisorId !== undefined) filter.supervisor_id = query.supervisorId
    if (query.managerId !== undefined)
      filter.$or = [{ manager_id: query.managerId }, { supervisor_id: { $in: supervisors } }]
    const wanted = query.search && searchKey(query.search)
    if (wanted) filter.search_key = { $regex: escapeRegex(wanted) }
    return filter
  }

  return {
    byId: async (id: string, session?: ClientSession): Promise<PersonRecord | undefined> => {
      const row = await stored
        .findById(id)
        .session(session ?? null)
        .lean()
      return row ? present(row) : undefined
    },

    byIdentity: async ({ issuer, subject }: Identity, session?: ClientSession): Promise<PersonRecord | undefined> => {
      const row = await stored
        .findOne({ issuer, subject })
        .session(session ?? null)
        .lean()
      return row ? present(row) : undefined
    },

    insert: async (person: Person, identity: Identity | undefined, session: ClientSession): Promise<void> => {
      const { id, supervisorId, managerId, createdAt, ...rest } = person
      const row: StoredPerson = {
        _id: id,
        ...identity,
        ...rest,
        supervisor_id: supervisorId,
        manager_id: managerId,
        created_at: new Date(createdAt),
        team_size: 0,
        search_key: searchKey(`${person.name} ${person.email}`),
      }
      await stored.create([row], { session })
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
              search_key: searchKey(`${next.name} ${next.email}`),
              ...(change.teamSize !== undefined && { team_size: change.teamSize }),
            },
            $inc: { version: 1 },
          },
          { session, returnDocument: 'after' },
        )
        .lean()
      if (!row) throw new Error('a person changed inside a transaction that had read them')
      return present(row)
    },

    /**
     * Puts one more under a supervisor or manager; false when they have not that role or no place left. It writes to the leader,
     * so that of transactions that change one team at once MongoDB lets only one through at a time.
     */
    takePlace: async (leaderId: string, role: 'supervisor' | 'manager', session: ClientSession): Promise<boolean> => {
      const { matchedCount } = await stored.updateOne(
        { _id: leaderId, role, ...(role === 'supervisor' && { team_size: { $lt: limits.supervisorCapacity } }) },
        { $inc: { team_size: 1 } },
        { session },
      )
      return matchedCount === 1
    },

    leavePlace: async (leaderId: string, session: ClientSession): Promise<void> => {
      await stored.updateOne({ _id: leaderId }, { $inc: { team_size: -1 } }, { session })
    },

    teamOf: (supervisorId: string, session?: ClientSession) => many({ supervisor_id: supervisorId }, session),
    supervisorsOf: (managerId: string, session?: ClientSession) => many({ manager_id: managerId }, session),
    byIds: (ids: readonly string[]) => many({ _id: { $in: [...ids] } }),

    /** A page of people, newest first, and how many there are in all. */
    list: async (
      query: PeopleQuery,
    ): Promise<{ people: PersonRecord[]; total: number; next: Position | undefined }> => {
      const supervisors =
        query.managerId === undefined
          ? []
          : (await stored.find({ manager_id: query.managerId }, { _id: 1 }).lean()).map(row => row._id)
      const filter = filterOf(query, supervisors)
      const page: QueryFilter<StoredPerson> = query.after ? { $and: [filter, { $or: olderThan(query.after) }] } : filter
      const [rows, total] = await Promise.all([
        stored
          .find(page)
          .sort({ created_at: -1, _id: -1 })
          .limit(query.limit + 1)
          .lean(),
        stored.countDocuments(filter),
      ])
      const people = rows.slice(0, query.limit).map(present)
      const last = people.at(-1)
      const next =
        rows.length > query.limit && last ? { createdAt: Date.parse(last.createdAt), id: last.id } : undefined
      return { people, total, next }
    },

    /** How many people there are of each role. */
    countByRole: async (): Promise<Map<Role, number>> => {
      const rows = await stored.aggregate<{ _id: Role; count: number }>([
        { $sort: { role: 1 } },
        { $group: { _id: '$role', count: { $sum: 1 } } },
      ])
      return new Map(rows.map(row => [row._id, row.count]))
    },

    /** Everybody, ordered by id, for the projections of other services. */
    afterId: async (after: string, limit: number): Promise<PersonRecord[]> =>
      (
        await stored
          .find({ _id: { $gt: after } })
          .sort({ _id: 1 })
          .limit(limit)
          .lean()
      ).map(present),

    /** The accounts of one issuer, by e-mail, for the page of the development provider. */
    ofIssuer: async (
      issuer: string,
      search: string,
      limit: number,
    ): Promise<{ people: PersonRecord[]; more: boolean }> => {
      const wanted = searchKey(search)
      const rows = await stored
        .find({ issuer, ...(wanted && { search_key: { $regex: escapeRegex(wanted) } }) })
        .sort({ issuer: 1, subject: 1 })
        .limit(limit + 1)
        .lean()
      return { people: rows.slice(0, limit).map(present), more: rows.length > limit }
    },

    hasAdmin: async (): Promise<boolean> => (await seats.exists({ _id: 'first' })) !== null,

    /** Rejects with a duplicate key when there is an administrator already. */
    takeAdminSeat: async (personId: string, session: ClientSession): Promise<void> => {
      await seats.create([{ _id: 'first', person_id: personId }], { session })
    },
  }
}

function olderThan({ createdAt, id }: Position): QueryFilter<StoredPerson>[] {
  const at = new Date(createdAt)
  return [{ created_at: { $lt: at } }, { created_at: at, _id: { $lt: id } }]
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function present(row: StoredPerson): PersonRecord {
  return {
    id: row._id,
    name: row.name,
    email: row.email,
    picture: row.picture ?? null,
    role: row.role,
    supervisorId: row.supervisor_id ?? null,
    managerId: row.manager_id ?? null,
    createdAt: row.created_at.toISOString(),
    version: row.version,
    teamSize: row.team_size,
  }
}
