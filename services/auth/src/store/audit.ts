import { type AuditAction, type AuditEntry, auditAction } from '@watchline/contracts/audit'
import { erasedName } from '@watchline/contracts/people'
import { fullScan, newId } from '@watchline/kit/mongo/database'
import { defaultRetention } from '@watchline/kit/process/config'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'
import { searchWords } from '../rules/search.ts'
import type { ListOrder, PageEnd } from './list-order.ts'
import { createSearchableList } from './searchable-list.ts'

/** Acts without a person that are no part of setup: an operator's command or the sign-in provider's claim. */
const actsWithoutPerson: readonly AuditAction[] = [
  'password_changed',
  'second_factor_removed',
  'admin_granted',
  'admin_removed',
]

/** The person who acts, with their current name. */
export interface Actor {
  id: string
  name: string
}

/**
 * One administrative act. `at` in ms; `by` is null for the system; `before` and `after` have wire
 * names.
 */
export interface AuditRecord extends Pick<AuditEntry, 'action' | 'before' | 'after'> {
  at: number
  by: Actor | null
  /** The person acted on, before the act. The store drops all other fields of a person. */
  subject: { id: string; name: string; email: string } | null
}

interface StoredEntry {
  _id: string
  at: Date
  action: AuditAction
  by: AuditEntry['by']
  subject: AuditEntry['subject']
  before: AuditEntry['before']
  after: AuditEntry['after']
  search_words: string[]
}

export interface AuditQuery {
  action?: AuditAction
  withoutSignIns?: boolean
  /** Leaves out what the system did by itself: setup and demo. */
  withoutSetup?: boolean
  search?: string
  /** ms, inclusive. */
  from?: number
  until?: number
  order: 'asc' | 'desc'
  after?: PageEnd
  limit: number
}

/** The order of the audit log, by time. */
export function auditOrder({ order }: Pick<AuditQuery, 'order'>): ListOrder {
  return { fields: [{ name: 'at', type: 'time' }], direction: order === 'asc' ? 1 : -1 }
}

export type AuditStore = ReturnType<typeof createAuditStore>

/**
 * The acts of administrators. Entries are append-only: the store has no call that changes or
 * removes one, except that an erased person loses name, address and texts.
 */
export function createAuditStore(connection: Connection, retentionS = defaultRetention.auditS) {
  const mixed = Schema.Types.Mixed
  const schema = new Schema<StoredEntry>(
    {
      _id: String,
      at: Date,
      action: String,
      by: mixed,
      subject: mixed,
      before: mixed,
      after: mixed,
      search_words: [String],
    },
    { versionKey: false, collection: 'audit', minimize: false },
  )
  schema.index({ action: 1, at: -1, _id: -1 }, { name: 'action' })
  schema.index({ at: 1 }, { expireAfterSeconds: retentionS, name: 'kept' })
  schema.index({ 'subject.id': 1 }, { name: 'subject' })
  schema.index({ action: 1, search_words: 1, at: -1, _id: -1 }, { name: 'words' })
  const model = connection.model<StoredEntry>('AuditEntry', schema)
  const listEntries = createSearchableList(model, 'words')

  return {
    /** Writes an entry in the transaction of the act itself. */
    add: async ({ at, action, by, subject, before, after }: AuditRecord, session: ClientSession): Promise<void> => {
      const row: StoredEntry = {
        _id: newId(),
        at: new Date(at),
        action,
        by: by && { id: by.id, name: by.name },
        subject: subject && { id: subject.id, name: subject.name, email: subject.email },
        before,
        after,
        search_words: subject ? searchWords(subject.name, subject.email) : [],
      }
      await model.create([row], { session })
    },

    /** Whether there is such an entry since a time in ms. */
    has: async (
      entry: { action: AuditAction; by: string; subjectId: string; since: number },
      session: ClientSession,
    ): Promise<boolean> => {
      const filter = {
        'subject.id': entry.subjectId,
        'by.id': entry.by,
        action: entry.action,
        at: { $gte: new Date(entry.since) },
      }
      return (await model.exists(filter).session(session)) !== null
    },

    /**
     * Removes the name and address of a person from all entries, and the comments in entries about
     * them. Their id, the acts and the times stay.
     */
    eraseSubject: async (personId: string, session: ClientSession): Promise<void> => {
      await model.updateMany(
        { 'subject.id': personId },
        {
          $set: { 'subject.name': erasedName, 'subject.email': '', search_words: [] },
          $unset: { 'after.comment': 1 },
        },
        { session },
      )
      // Somebody who was an administrator before.
      await model.updateMany({ 'by.id': personId }, { $set: { 'by.name': erasedName } }, { session, ...fullScan })
      for (const side of ['before', 'after'])
        for (const [idField, nameField] of personFields) {
          const entries = { [`${side}.${idField}`]: personId }
          const change = { $set: { [`${side}.${nameField}`]: erasedName }, $unset: { 'after.comment': 1 as const } }
          await model.updateMany(entries, change, { session, comment: fullScan.comment })
        }
    },

    /** A page of entries, by time. */
    page: async ({ action, withoutSignIns, withoutSetup, search, from, until, order, after, limit }: AuditQuery) => {
      const actions = action ? [action] : auditAction.options
      const filter: QueryFilter<StoredEntry> = {
        action: { $in: actions.filter(option => !withoutSignIns || option !== 'admin_signed_in') },
        ...(withoutSetup && {
          $nor: [{ by: null, action: { $nin: actsWithoutPerson }, 'after.claim': { $exists: false } }],
        }),
        ...((from !== undefined || until !== undefined) && {
          at: {
            ...(from !== undefined && { $gte: new Date(from) }),
            ...(until !== undefined && { $lte: new Date(until) }),
          },
        }),
      }
      const page = await listEntries({
        filter,
        search,
        order: auditOrder({ order }),
        after,
        limit,
        orderIndex: 'action',
      })
      return { ...page, rows: page.rows.map(toAuditEntry) }
    },
  }
}

/** The fields of `before` and `after` that describe a person. */
const personFields = [
  ['supervisor_id', 'supervisor_name'],
  ['manager_id', 'manager_name'],
  ['requested_by', 'requested_by_name'],
] as const

function toAuditEntry({ _id, at, action, by, subject, before, after }: StoredEntry): AuditEntry {
  return { id: _id, at: at.toISOString(), action, by, subject, before, after }
}
