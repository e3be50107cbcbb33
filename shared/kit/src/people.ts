import { type PersonSnapshot, personSnapshot, type Role } from '@watchline/contracts/people'
import { type ClientSession, type Connection, type Model, type QueryFilter, Schema } from 'mongoose'
import { z } from 'zod'
import { type Consumer, defineConsumer } from './consumer.ts'
import { createDocumentCache } from './document-cache.ts'
import { ServiceError } from './errors.ts'
import type { Logger } from './log.ts'

/** A person as a service knows them. */
export interface Person {
  id: string
  name: string
  email: string
  picture: string | null
  role: Role
  supervisorId: string | null
  managerId: string | null
  createdAt: string
  version: number
}

/** Where rights come from: the person as the service knows them now, not what a token once said. */
export interface PersonSource {
  /** The person, at least as new as `minVersion`; undefined when there is none. */
  find(id: string, minVersion: number): Promise<Person | undefined>
}

export function personFromSnapshot(snapshot: PersonSnapshot): Person {
  const { supervisor_id, manager_id, created_at, ...rest } = snapshot
  return { ...rest, supervisorId: supervisor_id, managerId: manager_id, createdAt: created_at }
}

interface StoredPerson {
  _id: string
  name: string
  email: string
  picture: string | null
  role: Role
  supervisor_id: string | null
  manager_id: string | null
  created_at: string
  version: number
}

export interface PeopleOptions {
  connection: Connection
  /** The auth service's address, and the secret of internal routes. */
  authUrl: string
  internalSecret: string
  log: Logger
}

/** The `people` projection of a service: fed by events, filled from a snapshot at first, read through when behind. */
export interface People extends PersonSource {
  get(id: string): Promise<Person | undefined>
  team(supervisorId: string): Promise<Person[]>
  /** The supervisors under a manager and everyone in their teams. */
  managed(managerId: string): Promise<Person[]>
  staff(): Promise<Person[]>
  byIds(ids: readonly string[]): Promise<Person[]>
  count(): Promise<number>
  apply(snapshot: PersonSnapshot, session?: ClientSession): Promise<void>
  start(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

const snapshotPage = 1_000
const staffRoles: Role[] = ['supervisor', 'manager', 'director', 'admin']

export function createPeople({ connection, authUrl, internalSecret, log }: PeopleOptions): People {
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
    },
    { versionKey: false, collection: 'people' },
  )
  schema.index({ supervisor_id: 1 }, { partialFilterExpression: { supervisor_id: { $type: 'string' } } })
  schema.index({ manager_id: 1 }, { partialFilterExpression: { manager_id: { $type: 'string' } } })
  schema.index({ role: 1 })
  const stored: Model<StoredPerson> = connection.model<StoredPerson>('ProjectedPerson', schema)
  const states = connection.model<{ _id: string; filled_at: Date }>(
    'ProjectionState',
    new Schema({ _id: String, filled_at: Date }, { versionKey: false, collection: 'projection_states' }),
  )

  const cache = createDocumentCache<Person>({
    connection,
    collection: 'people',
    log,
    load: async ids => {
      const rows = await stored.find({ _id: { $in: ids } }).lean()
      return new Map(rows.map(row => [row._id, present(row)]))
    },
  })

  async function apply(snapshot: PersonSnapshot, session?: ClientSession) {
    const { id, ...fields } = snapshot
    // Guarded by the version in one step: an older snapshot leaves what is there as it is.
    await stored.updateOne(
      { _id: id },
      [
        {
          $replaceWith: {
            $cond: [{ $gte: ['$version', snapshot.version] }, '$$ROOT', { $literal: { _id: id, ...fields } }],
          },
        },
      ],
      { upsert: true, updatePipeline: true, ...(session && { session }) },
    )
    cache.forget(id)
  }

  async function ask(path: string, signal?: AbortSignal): Promise<unknown> {
    const timeout = AbortSignal.timeout(5_000)
    const response = await fetch(`${authUrl}${path}`, {
      headers: { 'x-internal-secret': internalSecret },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    if (response.status === 404) return null
    if (!response.ok) throw new Error(`the auth service answered ${response.status} to ${path}`)
    return response.json()
  }

  async function readThrough(id: string): Promise<Person | undefined> {
    let snapshot: PersonSnapshot | null
    try {
      snapshot = personSnapshot.nullable().parse(await ask(`/internal/people/${encodeURIComponent(id)}`))
    } catch (error) {
      throw new ServiceError('unavailable', { retryAfterS: 2, cause: error })
    }
    if (!snapshot) return undefined
    await apply(snapshot)
    return personFromSnapshot(snapshot)
  }

  async function fill(signal: AbortSignal) {
    if (await states.exists({ _id: 'people' })) return
    let after = ''
    for (;;) {
      const page = z
        .array(personSnapshot)
        .parse(await ask(`/internal/people?limit=${snapshotPage}&after=${encodeURIComponent(after)}`, signal))
      for (const snapshot of page) await apply(snapshot)
      if (page.length < snapshotPage) break
      after = page.at(-1)!.id
    }
    await states.updateOne({ _id: 'people' }, { $set: { filled_at: new Date() } }, { upsert: true })
  }

  const find = async (filter: QueryFilter<StoredPerson>) => (await stored.find(filter).lean()).map(present)

  return {
    get: id => cache.get(id),
    find: async (id, minVersion) => {
      const known = await cache.get(id)
      return known && known.version >= minVersion ? known : ((await readThrough(id)) ?? known)
    },
    team: supervisorId => find({ supervisor_id: supervisorId, role: 'user' }),
    managed: async managerId => {
      const supervisors = await find({ manager_id: managerId, role: 'supervisor' })
      const teams = await find({ supervisor_id: { $in: supervisors.map(person => person.id) } })
      return [...supervisors, ...teams]
    },
    staff: () => find({ role: { $in: staffRoles } }),
    byIds: ids => find({ _id: { $in: [...ids] } }),
    count: () => stored.estimatedDocumentCount(),
    apply,
    start: async signal => {
      cache.start()
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await fill(signal)
        } catch (error) {
          if (signal.aborted) return
          log.info({ err: error, attempt }, 'waiting for the auth service to fill the people projection')
          await new Promise(resolve => setTimeout(resolve, Math.min(5_000, 200 * 2 ** attempt)))
        }
      }
    },
    stop: () => cache.stop(),
  }
}

function present(row: StoredPerson): Person {
  return {
    id: row._id,
    name: row.name,
    email: row.email,
    picture: row.picture ?? null,
    role: row.role,
    supervisorId: row.supervisor_id ?? null,
    managerId: row.manager_id ?? null,
    createdAt: row.created_at,
    version: row.version,
  }
}

/** The consumers that keep the projection; a service lists them beside its own. */
export const peopleConsumers: readonly Consumer<{ people: People }>[] = (
  [
    'user.created',
    'user.profile_changed',
    'user.role_changed',
    'user.supervisor_changed',
    'user.manager_changed',
  ] as const
).map(type =>
  defineConsumer(type, ({ event, tx }, ctx: { people: People }) => ctx.people.apply(event.data.person, tx.session)),
)
