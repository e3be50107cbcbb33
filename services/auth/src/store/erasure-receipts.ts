import { type ServiceName, serviceNames } from '@watchline/contracts/operation'
import { erasedName, erasedVersion, type Role } from '@watchline/contracts/people'
import type { Erasure } from '@watchline/contracts/privacy'
import type { Person } from '@watchline/identity/people'
import { cutPage, type TimeCursor } from '@watchline/kit/http/paging'
import { fullScan, pageById } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { Actor } from './audit.ts'

/** The receipt of an erasure: who did it, when, and which services are done. It names nobody. */
export interface ErasureReceipt {
  id: string
  personId: string
  /** Of the erased person. */
  role: Role
  /** The time at which the person was created, ISO 8601. */
  createdAt: string
  erasedAt: number
  by: Actor
}

interface StoredReceipt {
  /** The person’s id. */
  _id: string
  erasure_id: string
  role: Role
  created_at: string
  erased_at: Date
  by: Actor
  services: Partial<Record<ServiceName, Date>>
  /** A restore brought the person back: the next start erases them again. */
  repeat?: true
}

export type ErasureReceiptStore = ReturnType<typeof createErasureReceiptStore>

export function createErasureReceiptStore(connection: Connection) {
  const mixed = Schema.Types.Mixed
  const schema = new Schema<StoredReceipt>(
    {
      _id: String,
      erasure_id: String,
      role: String,
      created_at: String,
      erased_at: Date,
      by: mixed,
      services: { type: mixed, default: {} },
      repeat: Boolean,
    },
    { versionKey: false, collection: 'erasure_receipts', minimize: false },
  )
  schema.index({ erased_at: -1, _id: -1 })
  schema.index({ repeat: 1 }, { partialFilterExpression: { repeat: true }, name: 'repeated' })
  const model = connection.model<StoredReceipt>('ErasureReceipt', schema)

  return {
    insert: async (receipt: ErasureReceipt, session: ClientSession): Promise<void> => {
      await model.create(
        [
          {
            _id: receipt.personId,
            erasure_id: receipt.id,
            role: receipt.role,
            created_at: receipt.createdAt,
            erased_at: new Date(receipt.erasedAt),
            by: { id: receipt.by.id, name: receipt.by.name },
            services: {},
          },
        ],
        { session },
      )
    },

    /** Removes the name of a former administrator from the receipts of others. */
    eraseActor: async (personId: string, session: ClientSession): Promise<void> => {
      await model.updateMany({ 'by.id': personId }, { $set: { 'by.name': erasedName } }, { session, ...fullScan })
    },

    byPerson: async (personId: string, session: ClientSession | null = null): Promise<Erasure | undefined> => {
      const row = await model.findById(personId).session(session).lean()
      return row ? toErasure(row) : undefined
    },

    /** The first time of each service stays. */
    recordCompletion: async (
      personId: string,
      service: ServiceName,
      at: Date,
      session: ClientSession,
    ): Promise<void> => {
      const field = `services.${service}`
      await model.updateOne({ _id: personId, [field]: { $exists: false } }, { $set: { [field]: at } }, { session })
    },

    /** A page of receipts, the latest first. */
    page: async ({ after, limit }: { after?: TimeCursor | undefined; limit: number }) => {
      const at = after && new Date(after.at)
      const filter = after ? { $or: [{ erased_at: { $lt: at } }, { erased_at: at, _id: { $lt: after.id } }] } : {}
      const [rows, total] = await Promise.all([
        model
          .find(filter)
          .sort({ erased_at: -1, _id: -1 })
          .limit(limit + 1)
          .lean(),
        model.estimatedDocumentCount(),
      ])
      const { items, next } = cutPage(rows, limit, row => ({ at: row.erased_at.getTime(), id: row._id }))
      return { erasures: items.map(toErasure), total, next }
    },

    /** The remains of erased people, for the projections of other services. */
    tombstone: async (personId: string): Promise<Person | undefined> => {
      const row = await model.findById(personId).lean()
      return row ? tombstoneOf(toReceipt(row)) : undefined
    },

    tombstones: async (personIds: readonly string[]): Promise<Person[]> =>
      (await model.find({ _id: { $in: [...personIds] } }).lean()).map(row => tombstoneOf(toReceipt(row))),

    /** As `tombstone`, a page in the order of ids. */
    tombstonesAfterId: async (after: string, limit: number): Promise<Person[]> =>
      (await pageById(model, { after, limit })).map(row => tombstoneOf(toReceipt(row))),

    /** Receipts that a restore marked; see `repeat`. */
    findRepeated: async (limit: number): Promise<ErasureReceipt[]> => {
      const rows = await model.find({ repeat: true }).hint('repeated').limit(limit).lean()
      return rows.map(toReceipt)
    },

    /** False if another replica has repeated it. The services start anew. */
    startRepetition: async (personId: string, session: ClientSession): Promise<boolean> => {
      const { modifiedCount } = await model.updateOne(
        { _id: personId, repeat: true },
        { $unset: { repeat: 1 }, $set: { services: {} } },
        { session },
      )
      return modifiedCount === 1
    },
  }
}

/** The person as every projection keeps them. No later event is newer. */
export function tombstoneOf({ personId, role, createdAt, erasedAt }: Omit<ErasureReceipt, 'id' | 'by'>): Person {
  const at = new Date(erasedAt).toISOString()
  return {
    id: personId,
    name: erasedName,
    email: '',
    picture: null,
    role,
    supervisorId: null,
    supervisorSince: null,
    managerId: null,
    createdAt,
    deactivatedAt: at,
    erasedAt: at,
    version: erasedVersion,
  }
}

function toReceipt(row: StoredReceipt): ErasureReceipt {
  return {
    id: row.erasure_id,
    personId: row._id,
    role: row.role,
    createdAt: row.created_at,
    erasedAt: row.erased_at.getTime(),
    by: row.by,
  }
}

function toErasure({ _id, erasure_id, erased_at, by, services }: StoredReceipt): Erasure {
  const times = serviceNames.map(name => services[name])
  const isComplete = times.every(time => time !== undefined)
  return {
    id: erasure_id,
    person_id: _id,
    erased_at: erased_at.toISOString(),
    by,
    services: Object.fromEntries(
      serviceNames.map(name => [name, services[name]?.toISOString() ?? null]),
    ) as Erasure['services'],
    completed_at: isComplete ? new Date(Math.max(...times.map(time => time!.getTime()))).toISOString() : null,
  }
}
