import { isDeepStrictEqual } from 'node:util'
import {
  getPersonSnapshot,
  listPersonSnapshots,
  listPersonSnapshotsById,
} from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import { type PersonSnapshot, type Role, roles } from '@watchline/contracts/people'
import { ServiceError } from '@watchline/kit/core/errors'
import type { Person } from '@watchline/kit/http/caller'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import type { InternalCredentials } from '@watchline/kit/http/internal-credentials'
import { createProjectionFill } from '@watchline/kit/messaging/projection'
import type { ProjectedEntry } from '@watchline/kit/messaging/projection-rebuild'
import { fullScan, pageById } from '@watchline/kit/mongo/database'
import { createDocumentCache } from '@watchline/kit/mongo/document-cache'
import type { Logger } from '@watchline/kit/observability/log'
import type { Tracer } from '@watchline/kit/observability/tracing'
import type { BaseConfig } from '@watchline/kit/process/config'
import type { ClientSession, Connection, QueryFilter } from 'mongoose'
import { type NamedItem, orderKey, searchPattern, unmarkedNumber } from './name-key.ts'
import { personFromSnapshot } from './person-snapshot.ts'
import {
  createPersonModel,
  type DeletedPerson,
  deletedVersion,
  type StoredPerson,
  toPerson,
  toStoredPerson,
} from './stored-person.ts'

export type { Person }

/**
 * The source of rights: the person as the service knows them now, which a token may not reflect.
 */
export interface PersonFinder {
  /** The person, at least as new as `minVersion`; undefined if there is none. */
  find(id: string, minVersion: number): Promise<Person | undefined>
}

/** Higher than every stored version: `find` with it always asks auth. */
export const unreachableVersion = Number.MAX_SAFE_INTEGER

/** A page of the people with one role, by name. */
export interface PeoplePageRequest {
  role: Role
  limit: number
  /** Part of the name. */
  search?: string | undefined
  /** The last person of the previous page. */
  after?: Pick<Person, 'id' | 'name'> | undefined
}

/** The parts of a service that {@link createPeople} needs. A `ServiceHost` has all of them. */
export interface PeopleHost {
  /** The name of the service that owns this projection. */
  name: string
  config: Pick<BaseConfig, 'authUrl'>
  credentials: InternalCredentials
  connection: Connection
  log: Logger
  tracer?: Tracer | undefined
}

/**
 * The `people` projection of a service. Events update it, a snapshot fills it at first, and it
 * reads a person through from auth when it is behind.
 */
export interface People extends PersonFinder {
  /**
   * The version that changes with any person of this projection, for ETags of reads that show
   * people. The cache of a replica may lag behind it by the delay of a change stream; `maxAgeMs` of
   * the read bounds the effect.
   */
  versionKey: string
  get(id: string): Promise<Person | undefined>
  team(supervisorId: string): Promise<Person[]>
  /** The supervisors under a manager and everyone in their teams. */
  managed(managerId: string): Promise<Person[]>
  /** Leaves out deactivated people. `page` and `countOf` do the same. */
  staff(): Promise<Person[]>
  /**
   * Bypasses the cache. With a session it reads as the transaction does, for decisions that must
   * hold at the commit.
   */
  byIds(ids: readonly string[], session?: ClientSession): Promise<Person[]>
  /**
   * Those of these people whom auth knows at this moment, in no order. Asks auth in few calls, and
   * throws 503 `unavailable` while auth is unavailable.
   */
  findLatest(ids: readonly string[]): Promise<Person[]>
  /** Those of these ids whose people were deleted. */
  findDeleted(ids: readonly string[], session: ClientSession): Promise<Set<string>>
  /** People with the role after `after`, by an index. */
  page(request: PeoplePageRequest): Promise<Person[]>
  deactivatedIds(): Promise<string[]>
  /** Without deactivated, erased and deleted people. */
  count(): Promise<number>
  /** With a search, counting stops at limits.maxCountedTotal. */
  countOf(role: Role, search?: string): Promise<number>
  apply(snapshot: PersonSnapshot, session?: ClientSession): Promise<void>
  /** A snapshot never replaces a newer one. */
  applyAll(snapshots: readonly PersonSnapshot[], session?: ClientSession): Promise<void>
  /** Removes people for ever: no snapshot brings them back, however late it arrives. */
  removeAll(ids: readonly string[], session?: ClientSession): Promise<void>
  start(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

interface ProjectedPerson extends ProjectedEntry {
  stored: StoredPerson
}

/** All people of an organisation of 50,000. An entry takes about 0.6 KB, and all of them 35 MB. */
const cachedPeople = 60_000
/** People whose stored keys are replaced at once. */
const migrationBatch = 1_000
/** Matches people whose account is not deactivated. */
const active = { deactivated_at: null }
/** Matches deactivated people, by the index `deactivated`, which needs a role. */
const deactivated = { role: { $in: [...roles] }, deactivated_at: { $gt: '' } }
/** Matches people who are not deleted. */
const existing = { deleted: null }
const staffRoles: Role[] = ['supervisor', 'manager', 'director', 'admin']

export function createPeople({ name, config, credentials, connection, log, tracer }: PeopleHost): People {
  const model = createPersonModel(connection)
  const collection = () => connection.collection<StoredPerson>('people')

  const cache = createDocumentCache<Person>({
    connection,
    collection: 'people',
    maxEntries: cachedPeople,
    log,
    load: async ids => {
      const found = await model.find({ _id: { $in: ids }, ...existing }).lean()
      return new Map(found.map(stored => [stored._id, toPerson(stored)]))
    },
  })

  async function applyAll(snapshots: readonly PersonSnapshot[], session?: ClientSession) {
    if (snapshots.length === 0) return
    await collection().bulkWrite(snapshots.map(upsertIfNewer), { ordered: false, ...(session && { session }) })
    for (const { id } of snapshots) cache.evict(id)
  }

  const versionKey = `people:${name}`
  const auth = createInternalClient({ url: config.authUrl, credentials, tracer })
  const { fill, waitUntilStopped, readThrough } = createProjectionFill<PersonSnapshot, ProjectedPerson>({
    connection,
    log,
    name: 'people',
    fetchPage: (query, signal) => auth.call(listPersonSnapshots, { query }, signal),
    fetchOne: (id, signal) => auth.find(getPersonSnapshot, { params: { id } }, signal),
    idOf: snapshot => snapshot.id,
    apply: applyAll,
    storage: {
      findRange: async (after, upTo, limit) =>
        (await pageById(model, { after, upTo, limit })).map(stored => ({
          id: stored._id,
          stored,
          isDeleted: stored.deleted !== undefined,
        })),
      matches: ({ stored }, snapshot) => isDeepStrictEqual(stored, toStoredPerson(snapshot)),
      replace: async (snapshot, { id, stored }) => {
        await collection().replaceOne({ _id: id, version: stored.version ?? null }, toStoredPerson(snapshot))
        cache.evict(id)
      },
      remove: async ({ id, stored }) => {
        await collection().deleteOne({ _id: id, version: stored.version ?? null })
        cache.evict(id)
      },
      versionsOf: () => [versionKey],
    },
  })

  const findPeople = async (filter: QueryFilter<StoredPerson>, session: ClientSession | null = null) =>
    (await model.find(filter, null, { session }).lean()).map(toPerson)

  /**
   * The stored key of a page's last person. An earlier version may have written it, and a page must
   * continue where the index has the person.
   */
  async function findKey({ id, name: personName }: NamedItem): Promise<string> {
    const stored = await model.findOne({ _id: id, name: personName }, { name_key: 1 }).lean()
    return stored?.name_key ?? orderKey(personName)
  }

  /** Replaces the keys that earlier versions wrote; replicas of one may still write some. */
  async function updateOldKeys(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const rows = await model.find({ name_key: unmarkedNumber }, { name: 1 }, fullScan).limit(migrationBatch).lean()
      if (rows.length === 0) return
      await collection().bulkWrite(
        rows.map(({ _id, name: personName }) => ({
          updateOne: { filter: { _id, name: personName }, update: { $set: { name_key: orderKey(personName) } } },
        })),
        { ordered: false },
      )
    }
  }

  return {
    versionKey,
    get: id => cache.get(id),
    find: async (id, minVersion) => {
      const cached = await cache.get(id)
      // Nothing is newer than an erasure.
      if (cached && (cached.erasedAt || cached.version >= minVersion)) return cached
      const latest = await readThrough(id)
      return latest ? personFromSnapshot(latest) : cached
    },
    team: supervisorId => findPeople({ supervisor_id: supervisorId, role: 'user' }),
    managed: async managerId => {
      const supervisors = await findPeople({ manager_id: managerId, role: 'supervisor' })
      const teams = await findPeople({ supervisor_id: { $in: supervisors.map(person => person.id) } })
      return [...supervisors, ...teams]
    },
    staff: () => findPeople({ role: { $in: staffRoles }, ...active }),
    byIds: (ids, session) => findPeople({ _id: { $in: [...ids] }, ...existing }, session),
    findLatest: async ids => {
      const latest: Person[] = []
      for (let start = 0; start < ids.length; start += limits.idListMax) {
        const query = { ids: ids.slice(start, start + limits.idListMax) }
        const snapshots = await auth.call(listPersonSnapshotsById, { query }).catch(failUnavailable)
        await applyAll(snapshots)
        latest.push(...snapshots.map(personFromSnapshot))
      }
      return latest
    },
    findDeleted: async (ids, session) => {
      const rows = await model.find({ _id: { $in: [...ids] }, deleted: { $gt: '' } }, { _id: 1 }, { session }).lean()
      return new Set(rows.map(({ _id }) => _id))
    },
    page: async ({ role, limit, search, after }) => {
      const afterKey = after && (await findKey(after))
      const found = await model
        .find({
          role,
          ...active,
          ...matchName(search),
          ...(after && {
            $or: [{ name_key: { $gt: afterKey } }, { name_key: afterKey, _id: { $gt: after.id } }],
          }),
        })
        .sort({ name_key: 1, _id: 1 })
        .limit(limit)
        .lean()
      return found.map(toPerson)
    },
    deactivatedIds: async () => {
      const rows = await model.find(deactivated, { _id: 1 }).hint('deactivated').lean()
      return rows.map(({ _id }) => _id)
    },
    count: async () => {
      const [all, inactive, deleted] = await Promise.all([
        model.estimatedDocumentCount(),
        model.countDocuments(deactivated).hint('deactivated'),
        model.countDocuments({ deleted: { $gt: '' } }).hint('deleted'),
      ])
      return all - inactive - deleted
    },
    countOf: async (role, search) => {
      if (search)
        return model.countDocuments({ role, ...active, ...matchName(search) }, { limit: limits.maxCountedTotal })
      // Both counts read index keys only, unlike a count with the condition `active`.
      const [all, inactive] = await Promise.all([
        model.countDocuments({ role }),
        model.countDocuments({ role, deactivated_at: { $gt: '' } }),
      ])
      return all - inactive
    },
    apply: (snapshot, session) => applyAll([snapshot], session),
    applyAll,
    removeAll: async (ids, session) => {
      await collection().bulkWrite(ids.map(replaceByDeleted), { ordered: false, ...(session && { session }) })
      for (const id of ids) cache.evict(id)
    },
    start: async signal => {
      cache.start()
      await updateOldKeys(signal)
      await fill(signal)
    },
    stop: async () => {
      await waitUntilStopped()
      await cache.stop()
    },
  }
}

function failUnavailable(cause: unknown): never {
  throw new ServiceError('unavailable', { retryAfterS: 2, cause })
}

function replaceByDeleted(id: string) {
  const deleted: DeletedPerson = { _id: id, version: deletedVersion, deleted: 'yes' }
  return { replaceOne: { filter: { _id: id }, replacement: deleted as unknown as StoredPerson, upsert: true } }
}

function matchName(search: string | undefined) {
  const pattern = search && searchPattern(search)
  return pattern ? { name_key: { $regex: pattern } } : {}
}

/** Compares versions in the same step as the write, so an older snapshot changes nothing. */
function upsertIfNewer(snapshot: PersonSnapshot) {
  const next = { $literal: toStoredPerson(snapshot) }
  return {
    updateOne: {
      filter: { _id: snapshot.id },
      update: [{ $replaceWith: { $cond: [{ $gte: ['$version', snapshot.version] }, '$$ROOT', next] } }],
      upsert: true,
    },
  }
}
