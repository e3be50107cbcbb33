import { limits } from '@watchline/contracts/limits'
import type { ReportChoice, ReportSchedule } from '@watchline/contracts/saved-reports'
import { isText, newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, Schema } from 'mongoose'

/** A report that its owner saved, to open it again or to send it by a schedule. */
export interface SavedReport extends SavedReportFields {
  id: string
  ownerId: string
  version: number
}

export interface SavedReportFields {
  name: string
  choice: ReportChoice
  /** Null: it is sent only by hand. */
  schedule: ReportSchedule | null
  recipientIds: string[]
  /** Null without a schedule. */
  nextSendAt: Date | null
}

interface StoredReport {
  _id: string
  owner_id: string
  /** The place among the owner's reports. Its unique index bounds their number. */
  slot: number
  client_id?: string
  name: string
  choice: ReportChoice
  schedule: ReportSchedule | null
  recipient_ids: string[]
  next_send_at: Date | null
  created_at: Date
  version: number
  /** The newest sendings by hand, the oldest first. A repeated call is found among them. */
  sendings?: { client_id: string; at: Date; recipients: number }[]
}

/** A press of “Send now”. */
export interface ReportSending {
  clientId: string
  at: Date
  recipients: number
}

/** A report whose time has come; `dueAt` names the occurrence. */
export interface DueReport extends SavedReport {
  dueAt: Date
}

/** At one sending a minute, a repeated call is recognised for at least 20 minutes. */
const keptSendings = 20

export type SavedReportStore = ReturnType<typeof createSavedReportStore>

export function createSavedReportStore(connection: Connection) {
  const schema = new Schema<StoredReport>(
    {
      ...{ _id: String, owner_id: String, slot: Number, client_id: String, name: String },
      ...{ choice: Schema.Types.Mixed, schedule: Schema.Types.Mixed, recipient_ids: [String] },
      ...{ next_send_at: Date, created_at: Date, version: Number },
      sendings: { type: [{ _id: false, client_id: String, at: Date, recipients: Number }], default: undefined },
    },
    { versionKey: false, collection: 'saved_reports', minimize: false },
  )
  schema.index({ owner_id: 1, slot: 1 }, { unique: true })
  // A repeated creation is found by it.
  schema.index({ owner_id: 1, client_id: 1 }, { unique: true, partialFilterExpression: { client_id: isText } })
  // For erasures and exports of a person.
  schema.index({ recipient_ids: 1 })
  schema.index({ next_send_at: 1 }, { partialFilterExpression: { next_send_at: { $gt: new Date(0) } } })
  const stored = connection.model<StoredReport>('SavedReport', schema)

  const findByClientId = async (ownerId: string, clientId: string) => {
    const row = await stored.findOne({ owner_id: ownerId, client_id: clientId }).lean()
    return row ? toReport(row) : undefined
  }

  return {
    /**
     * Adds a report, in the owner's first free slot. Returns the stored one for a known client id,
     * undefined if the owner has no free slot. Concurrent calls fill different slots.
     */
    add: async (
      ownerId: string,
      { clientId, createdAt, ...fields }: SavedReportFields & { clientId: string | undefined; createdAt: Date },
    ): Promise<SavedReport | undefined> => {
      for (;;) {
        const known = clientId === undefined ? undefined : await findByClientId(ownerId, clientId)
        if (known) return known
        const used = new Set((await stored.find({ owner_id: ownerId }, { slot: 1 }).lean()).map(({ slot }) => slot))
        const slot = Array.from({ length: limits.savedReportsPerPerson }, (_, index) => index).find(
          index => !used.has(index),
        )
        if (slot === undefined) return undefined
        const row: StoredReport = {
          ...{ _id: newId(), owner_id: ownerId, slot, ...(clientId !== undefined && { client_id: clientId }) },
          ...{ ...toFields(fields), created_at: createdAt, version: 1 },
        }
        try {
          await stored.create([row])
          return toReport(row)
        } catch (error) {
          // Another call has used the slot or the client id.
          if (!isDuplicateKey(error)) throw error
        }
      }
    },

    find: async (id: string): Promise<SavedReport | undefined> => {
      const row = await stored.findById(id).lean()
      return row ? toReport(row) : undefined
    },

    /** The report with its newest sendings by hand, the oldest first. */
    findWithSendings: async (
      id: string,
      session: ClientSession,
    ): Promise<(SavedReport & { sendings: ReportSending[] }) | undefined> => {
      const row = await stored.findById(id, null, { session }).lean()
      return row ? { ...toReport(row), sendings: (row.sendings ?? []).map(toSending) } : undefined
    },

    /** Two transactions that add a sending to one report conflict. */
    addSending: async (id: string, { clientId, at, recipients }: ReportSending, session: ClientSession) => {
      const sending = { client_id: clientId, at, recipients }
      const sendings = { $each: [sending], $slice: -keptSendings }
      await stored.updateOne({ _id: id }, { $push: { sendings } }, { session })
    },

    listOf: async (ownerId: string): Promise<SavedReport[]> =>
      (await stored.find({ owner_id: ownerId }).lean()).map(toReport),

    /**
     * Undefined if another call has changed the report since that version. Without `nextSendAt` the
     * time of the next sending stays as it is, also if the job has moved it meanwhile.
     */
    replace: async (
      { id, ownerId, version }: SavedReport,
      { nextSendAt, ...fields }: Omit<SavedReportFields, 'nextSendAt'> & { nextSendAt?: Date | null },
    ): Promise<SavedReport | undefined> => {
      const next = nextSendAt === undefined ? {} : { next_send_at: nextSendAt }
      const row = await stored
        .findOneAndUpdate(
          { _id: id, owner_id: ownerId, version },
          { $set: { ...toTerms(fields), ...next }, $inc: { version: 1 } },
          { returnDocument: 'after' },
        )
        .lean()
      return row ? toReport(row) : undefined
    },

    remove: async (id: string, ownerId: string): Promise<boolean> => {
      const { deletedCount } = await stored.deleteOne({ _id: id, owner_id: ownerId })
      return deletedCount === 1
    },

    /** Removes the person's reports, and the person from the recipients of others. */
    removePerson: async (personId: string, session?: ClientSession): Promise<void> => {
      const options = session ? { session } : {}
      await stored.deleteMany({ owner_id: personId }, options)
      await stored.updateMany(
        { recipient_ids: personId },
        { $pull: { recipient_ids: personId }, $inc: { version: 1 } },
        options,
      )
    },

    /** The ids of reports whose time has come, the earliest first. */
    findDue: async (now: Date, limit: number): Promise<string[]> => {
      const rows = await stored
        .find({ next_send_at: { $gt: new Date(0), $lte: now } }, { _id: 1 })
        .sort({ next_send_at: 1 })
        .limit(limit)
        .lean()
      return rows.map(({ _id }) => _id)
    },

    /**
     * Moves each of these reports whose time has come to its next time, and returns them. Two
     * transactions conflict, so that only one claims an occurrence.
     */
    claimDue: async (
      ids: readonly string[],
      now: Date,
      findNext: (schedule: ReportSchedule) => Date,
      session: ClientSession,
    ): Promise<DueReport[]> => {
      const due = { _id: { $in: [...ids] }, next_send_at: { $gt: new Date(0), $lte: now } }
      const rows = await stored.find(due, null, { session }).lean()
      if (rows.length === 0) return []
      await stored.bulkWrite(
        rows.map(({ _id, schedule }) => ({
          updateOne: { filter: { _id }, update: { $set: { next_send_at: schedule && findNext(schedule) } } },
        })),
        { session },
      )
      return rows.map(row => ({ ...toReport(row), dueAt: row.next_send_at! }))
    },
  }
}

function toTerms({ name, choice, schedule, recipientIds }: Omit<SavedReportFields, 'nextSendAt'>) {
  return { name, choice, schedule, recipient_ids: recipientIds }
}

function toFields({ nextSendAt, ...fields }: SavedReportFields) {
  return { ...toTerms(fields), next_send_at: nextSendAt }
}

function toSending({ client_id, at, recipients }: NonNullable<StoredReport['sendings']>[number]): ReportSending {
  return { clientId: client_id, at, recipients }
}

function toReport({ _id, owner_id, name, choice, schedule, recipient_ids, next_send_at, version }: StoredReport) {
  return {
    ...{ id: _id, ownerId: owner_id, name, choice, schedule },
    ...{ recipientIds: recipient_ids, nextSendAt: next_send_at, version },
  } satisfies SavedReport
}
