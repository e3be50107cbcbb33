import { isDeepStrictEqual } from 'node:util'
import { getPersonSnapshot, listPersonSnapshots } from '@watchline/contracts/internal-operations'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'
import type { Person } from '@watchline/kit/http/caller'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { type Consumer, defineConsumer } from '@watchline/kit/messaging/consumer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { createProjectionFill } from '@watchline/kit/messaging/projection'
import type { ProjectedEntry } from '@watchline/kit/messaging/projection-rebuild'
import { isText, pageById, retireIndexes } from '@watchline/kit/mongo/database'
import { createDocumentCache } from '@watchline/kit/mongo/document-cache'
import type { Logger } from '@watchline/kit/observability/log'
import type { Tracer } from '@watchline/kit/observability/tracing'
import type { BaseConfig } from '@watchline/kit/process/config'
import { type ClientSession, type Connection, type Model, type QueryFilter, Schema } from 'mongoose'

import { nameKey } from './name-key.ts'

export type { Person }

/** The source of rights: the person as the service knows them now, not what a token once said. */
export interface PersonFinder {
  /** The person, at least as new as `minVersion`; undefined when there is none. */
  find(id: string, minVersion: number): Promise<Person | undefined>
}

export function personFromSnapshot(snapshot: PersonSnapshot): Person {
  const { supervisor_id, manager_id, created_at, ...rest } = snapshot
  return { ...rest, supervisorId: supervisor_id, managerId: manager_id, createdAt: created_at }
}

/** The form of a person in events and internal answers. */
export function toPersonSnapshot(person: Person): PersonSnapshot {
  return {
    id: person.id,
    name: person.name,
    email: person.email,
    picture: person.picture,
    role: person.role,
    supervisor_id: person.supervisorId,
    manager_id: person.managerId,
    created_at: person.createdAt,
    version: person.version,
  }
}

/** A person as MongoDB has them, in auth's own collection and in every projection. */
export interface StoredPersonFields extends Omit<PersonSnapshot, 'id' | 'created_at'> {
  _id: string
  created_at: string | Date
}

interface StoredPerson extends StoredPersonFields {
  created_at: string
  /** The name as lists order and search it. */
  name_key: string
}

/** Some of the people of a role, by name. */
export interface PeoplePageRequest {
  role: Role
  limit: number
  /** Part of the name. */
  search?: string | undefined
  /** The last of the page before. */
  after?: Pick<Person, 'id' | 'name'> | undefined
}

/** The parts of a service that {@link createPeople} needs; a `ServiceHost` has them all. */
export interface PeopleHost {
  /** The name of the service that keeps this projection. */
  name: string
  config: Pick<BaseConfig, 'authUrl' | 'internalSecret'>
  connection: Connection
  log: Logger
  tracer?: Tracer | undefined
}

/** The `people` projection of a service: fed by events, filled from a snapshot at first, read through when behind. */
export interface People extends PersonFinder {
  /**
   * Raised when anybody in this service's projection changed: what a versioned read shows of people depends on it. What a replica
   * keeps in memory may be older than the version for as long as a change stream takes; `freshMs` of the read bounds what that costs.
   */
  versionKey: string
  get(id: string): Promise<Person | undefined>
  team(supervisorId: string): Promise<Person[]>
  /** The supervisors under a manager and everyone in their teams. */
  managed(managerId: string): Promise<Person[]>
  staff(): Promise<Person[]>
  /** Past the cache; with a session as its transaction sees them, for decisions that must hold when it commits. */
  byIds(ids: readonly string[], session?: ClientSession): Promise<Person[]>
  /** Of everyone with that role, those that come after `after`; over an index. */
  page(request: PeoplePageRequest): Promise<Person[]>
  count(): Promise<number>
  /** How many have that role. */
  countOf(role: Role): Promise<number>
  apply(snapshot: PersonSnapshot, session?: ClientSession): Promise<void>
  /** Many at once, each guarded by its own version. */
  applyAll(snapshots: readonly PersonSnapshot[], session?: ClientSession): Promise<void>
  start(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

const staffRoles: Role[] = ['supervisor', 'manager', 'director', 'admin']

export function createPeople({ name, config, connection, log, tracer }: PeopleHost): People {
  const schema = new Schema<StoredPerson>(
    {
      _id: String,
      name: String,
      email: String,
      picture: String,
      role: String,
      supervisor_id: String,
      manager_id: String,
      created_at: String,
      version: Number,
      name_key: String,
    },
    { versionKey: false, collection: 'people' },
  )
  schema.index({ supervisor_id: 1 }, { partialFilterExpression: { supervisor_id: isText }, name: 'team' })
  schema.index({ manager_id: 1 }, { partialFilterExpression: { manager_id: isText }, name: 'supervisors' })
  schema.index({ role: 1, name_key: 1, _id: 1 })
  retireIndexes(schema, 'supervisor_id_1', 'manager_id_1')
  const stored: Model<StoredPerson> = connection.model<StoredPerson>('ProjectedPerson', schema)

  const cache = createDocumentCache<Person>({
    connection,
    collection: 'people',
    log,
    load: async ids => {
      const rows = await stored.find({ _id: { $in: ids } }).lean()
      return new Map(rows.map(row => [row._id, toPerson(row)]))
    },
  })

  const rows = () => connection.collection<StoredPerson>('people')

  /** Guarded by the version in one step: an older snapshot leaves what is there as it is. */
  function upsertOf(snapshot: PersonSnapshot) {
    const next = { $literal: rowOf(snapshot) }
    return {
      updateOne: {
        filter: { _id: snapshot.id },
        update: [{ $replaceWith: { $cond: [{ $gte: ['$version', snapshot.version] }, '$$ROOT', next] } }],
        upsert: true,
      },
    }
  }

  async function applyAll(snapshots: readonly PersonSnapshot[], session?: ClientSession) {
    if (snapshots.length === 0) return
    await rows().bulkWrite(snapshots.map(upsertOf), { ordered: false, ...(session && { session }) })
    for (const { id } of snapshots) cache.evict(id)
  }

  const versionKey = `people:${name}`
  const auth = createInternalClient({ url: config.authUrl, secret: config.internalSecret, tracer })
  const {
    fill,
    waitUntilStopped: stopped,
    readThrough,
  } = createProjectionFill<PersonSnapshot, KeptPerson>({
    connection,
    log,
    name: 'people',
    fetchPage: (query, signal) => auth.call(listPersonSnapshots, { query }, signal),
    fetchOne: (id, signal) => auth.find(getPersonSnapshot, { params: { id } }, signal),
    idOf: snapshot => snapshot.id,
    apply: applyAll,
    storage: {
      findRange: async (after, upTo, limit) =>
        (await pageById(stored, { after, upTo, limit })).map(row => ({ id: row._id, row })),
      matches: ({ row }, snapshot) => isDeepStrictEqual(row, rowOf(snapshot)),
      replace: async (snapshot, { id, row }) => {
        await rows().replaceOne({ _id: id, version: row.version ?? null }, rowOf(snapshot))
        cache.evict(id)
      },
      remove: async ({ id, row }) => {
        await rows().deleteOne({ _id: id, version: row.version ?? null })
        cache.evict(id)
      },
      versionsOf: () => [versionKey],
    },
  })

  const find = async (filter: QueryFilter<StoredPerson>, session: ClientSession | null = null) =>
    (await stored.find(filter, null, { session }).lean()).map(toPerson)

  return {
    versionKey,
    get: id => cache.get(id),
    find: async (id, minVersion) => {
      const known = await cache.get(id)
      if (known && known.version >= minVersion) return known
      const latest = await readThrough(id)
      return latest ? personFromSnapshot(latest) : known
    },
    team: supervisorId => find({ supervisor_id: supervisorId, role: 'user' }),
    managed: async managerId => {
      const supervisors = await find({ manager_id: managerId, role: 'supervisor' })
      const teams = await find({ supervisor_id: { $in: supervisors.map(person => person.id) } })
      return [...supervisors, ...teams]
    },
    staff: () => find({ role: { $in: staffRoles } }),
    byIds: (ids, session) => find({ _id: { $in: [...ids] } }, session),
    page: async ({ role, limit, search, after }) => {
      const wanted = search && nameKey(search)
      const rows = await stored
        .find({
          role,
          ...(wanted && { name_key: { $regex: escapeRegex(wanted) } }),
          ...(after && {
            $or: [
              { name_key: { $gt: nameKey(after.name) } },
              { name_key: nameKey(after.name), _id: { $gt: after.id } },
            ],
          }),
        })
        .sort({ name_key: 1, _id: 1 })
        .limit(limit)
        .lean()
      return rows.map(toPerson)
    },
    count: () => stored.estimatedDocumentCount(),
    countOf: role => stored.countDocuments({ role }),
    apply: (snapshot, session) => applyAll([snapshot], session),
    applyAll,
    start: async signal => {
      cache.start()
      await fill(signal)
    },
    stop: async () => {
      await stopped()
      await cache.stop()
    },
  }
}

interface KeptPerson extends ProjectedEntry {
  row: StoredPerson
}

function rowOf({ id, ...fields }: PersonSnapshot): StoredPerson {
  return { _id: id, ...fields, name_key: nameKey(fields.name) }
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

export function toPerson(row: StoredPersonFields): Person {
  return {
    id: row._id,
    name: row.name,
    email: row.email,
    picture: row.picture ?? null,
    role: row.role,
    supervisorId: row.supervisor_id ?? null,
    managerId: row.manager_id ?? null,
    createdAt: typeof row.created_at === 'string' ? row.created_at : row.created_at.toISOString(),
    version: row.version,
  }
}

/** The consumers that keep the projection; a service lists them beside its own. */
export const peopleConsumers: readonly Consumer<{ people: People }>[] = [
  ...(
    [
      'user.created',
      'user.profile_changed',
      'user.role_changed',
      'user.supervisor_changed',
      'user.manager_changed',
    ] as const
  ).map(type =>
    defineConsumer(type, ({ event, tx }, ctx: { people: People }) => keep(ctx.people, [event.data.person], tx)),
  ),
  defineConsumer('users.imported', ({ event, tx }, ctx: { people: People }) => keep(ctx.people, event.data.people, tx)),
]

function keep(people: People, snapshots: readonly PersonSnapshot[], tx: Transaction): Promise<void> {
  tx.bumpVersions(people.versionKey)
  return people.applyAll(snapshots, tx.session)
}
