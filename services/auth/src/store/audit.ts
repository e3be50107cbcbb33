import { type AuditAction, type AuditEntry, auditAction } from '@watchline/contracts/audit'
import type { TimeCursor } from '@watchline/kit/http/paging'
import { newId } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'
import { searchWords } from '../rules/search.ts'
import { createSearchableList } from './searchable-list.ts'

/** Who does something, by the name they have then. */
export interface Actor {
  id: string
  name: string
}

/** One administrative act. `at` in ms; `by` null for the system itself; `before` and `after` by wire name. */
export interface AuditRecord extends Pick<AuditEntry, 'action' | 'before' | 'after'> {
  at: number
  by: Actor | null
  /** To whom, as they are before it; more of a person may be given, and is left out. */
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
  search?: string
  /** ms; both ends belong to it. */
  from?: number
  until?: number
  after?: TimeCursor
  limit: number
}

export type AuditStore = ReturnType<typeof createAuditStore>

/** What administrators did. Entries are written with what they tell of, and never changed or removed: there is no call for it. */
export function createAuditStore(connection: Connection) {
  const facts = Schema.Types.Mixed
  const schema = new Schema<StoredEntry>(
    {
      _id: String,
      at: Date,
      action: String,
      by: facts,
      subject: facts,
      before: facts,
      after: facts,
      search_words: [String],
    },
    { versionKey: false, collection: 'audit', minimize: false },
  )
  schema.index({ action: 1, at: -1, _id: -1 }, { name: 'action' })
  schema.index({ action: 1, search_words: 1, at: -1, _id: -1 }, { name: 'words' })
  const stored = connection.model<StoredEntry>('AuditEntry', schema)
  const list = createSearchableList(stored, 'at')

  return {
    /** Writes an entry in the transaction of what it tells of. */
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
      await stored.create([row], { session })
    },

    /** A page of entries, latest first. */
    page: async ({ action, search, from, until, after, limit }: AuditQuery) => {
      const filter: QueryFilter<StoredEntry> = {
        action: { $in: action ? [action] : auditAction.options },
        ...((from !== undefined || until !== undefined) && {
          at: {
            ...(from !== undefined && { $gte: new Date(from) }),
            ...(until !== undefined && { $lte: new Date(until) }),
          },
        }),
      }
      const page = await list({ filter, search, after, limit, orderIndex: 'action' })
      return { ...page, rows: page.rows.map(present) }
    },
  }
}

function present({ _id, at, action, by, subject, before, after }: StoredEntry): AuditEntry {
  return { id: _id, at: at.toISOString(), action, by, subject, before, after }
}
