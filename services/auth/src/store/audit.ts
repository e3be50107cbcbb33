import {
  type AuditAction,
  type AuditActor,
  type AuditEntry,
  auditAction,
  type ChainedAuditEntry,
} from '@watchline/contracts/audit'
import { erasedName, type Role, role } from '@watchline/contracts/people'
import { networkOf } from '@watchline/kit/http/network'
import { fullScan, inTransaction, isText, newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { ListOrder, PageEnd } from '@watchline/kit/mongo/list-order'
import { currentTrace } from '@watchline/kit/observability/log'
import { placeholderRetention } from '@watchline/kit/process/config'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'
import { claimPersonField, eraseClaims, personFields } from '../rules/erased-entry.ts'
import { searchWords } from '../rules/search.ts'
import { type ChainHead, chainEntry, genesisHash, storable } from './audit-chain.ts'
import { createSearchableList } from './searchable-list.ts'

/**
 * Acts without a person that are no part of setup: of an operator, the provider's claim, an
 * attacker, or an erasure that is repeated after a restore.
 */
const actsWithoutPerson: readonly AuditAction[] = [
  'password_changed',
  'second_factor_removed',
  'admin_granted',
  'admin_removed',
  'admin_sign_in_failed',
  'refresh_token_reused',
  'erased',
]

/** The person who acts, with their current name. */
export interface Actor {
  id: string
  name: string
  /** Absent: an administrator. */
  role?: Role
}

/**
 * One administrative act. `at` in ms; `by` is null for the system; `before` and `after` have wire
 * names.
 */
export interface AuditRecord extends Pick<AuditEntry, 'action' | 'before' | 'after'> {
  at: number
  by: Actor | 'operator' | null
  /** The network address of the act, if it is not the one of the request in progress. */
  address?: string | null
  /** The person acted on, before the act. The store drops all other fields of a person. */
  subject: { id: string; name: string; email: string } | null
}

/** Without `seq` for entries of earlier versions, until the next start chains them. */
interface StoredEntry extends Partial<Omit<ChainedAuditEntry, 'id' | 'at'>> {
  _id: string
  at: Date
  action: AuditAction
  by: AuditEntry['by']
  subject: AuditEntry['subject']
  before: AuditEntry['before']
  after: AuditEntry['after']
  search_words: string[]
}

interface StoredHead extends ChainHead {
  _id: typeof headId
  /** Incremented to lock the row for a transaction, see `lockChain`. */
  relied_on?: number
}

const headId = 'head'
const expiryIndex = 'kept'
/** Entries of earlier versions that get their sequence number in one transaction. */
const chainedAtOnce = 500

export interface AuditQuery {
  action?: AuditAction
  withoutSignIns?: boolean
  /** Leaves out what the system did at setup and for the demo; claim rules are no setup. */
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
 * removes one. There are two exceptions: an erased person loses name, address and texts, and
 * entries expire. They form a hash chain, so that `verifyAudit` finds a change that was made past
 * this store. Concurrent transactions conflict at the chain's head, and MongoDB repeats all but
 * one.
 */
export function createAuditStore(connection: Connection, retentionS = placeholderRetention.auditS) {
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
      actor: String,
      address: String,
      seq: Number,
      details_salt: String,
      details_hash: String,
      prev_hash: String,
      hash: String,
    },
    { versionKey: false, collection: 'audit', minimize: false },
  )
  schema.index({ action: 1, at: -1, _id: -1 }, { name: 'action' })
  schema.index({ at: 1 }, { expireAfterSeconds: retentionS, name: expiryIndex })
  schema.index({ 'subject.id': 1 }, { name: 'subject' })
  // For exports and erasures.
  schema.index({ 'by.id': 1 }, { partialFilterExpression: { 'by.id': isText }, name: 'actor' })
  schema.index({ action: 1, search_words: 1, at: -1, _id: -1 }, { name: 'words' })
  schema.index({ seq: 1, _id: 1 }, { name: 'chain' })
  schema.index({ at: 1, seq: 1 }, { name: 'places' })
  const model = connection.model<StoredEntry>('AuditEntry', schema)
  const heads = connection.model<StoredHead>(
    'AuditChainHead',
    new Schema<StoredHead>(
      { _id: String, seq: Number, hash: String, relied_on: Number },
      { versionKey: false, collection: 'audit_chain' },
    ),
  )
  const listEntries = createSearchableList(model, 'words')

  /**
   * Reserves the next sequence numbers and returns the head before them; `moveHead` completes the
   * step.
   */
  async function reserveSequenceNumbers(count: number, session: ClientSession): Promise<ChainHead> {
    const head = await heads.findOneAndUpdate({ _id: headId }, { $inc: { seq: count } }, { session }).lean()
    if (!head) throw new Error('the audit chain has no head: prepare the store before the first entry')
    return head
  }

  async function moveHead({ hash }: ChainHead, session: ClientSession): Promise<void> {
    await heads.updateOne({ _id: headId }, { $set: { hash } }, { session })
  }

  /**
   * Chains entries without a sequence number, in the order of their ids. False if there is none.
   */
  const chainMissing = (): Promise<boolean> =>
    inTransaction(connection, async session => {
      const rows = await model.find({ seq: null }).sort({ _id: 1 }).limit(chainedAtOnce).session(session).lean()
      if (rows.length === 0) return false
      let head = await reserveSequenceNumbers(rows.length, session)
      const writes = rows.map(row => {
        const chained = chainEntry(toChainable(row), head)
        head = chained
        const { id, at, action, by, subject, before, after, ...added } = chained
        return { updateOne: { filter: { _id: id, seq: null }, update: { $set: added } } }
      })
      await model.bulkWrite(writes, { session })
      await moveHead(head, session)
      return true
    })

  return {
    /**
     * Call it before the first entry: creates the chain's head, and chains entries of earlier
     * versions.
     */
    prepare: async (): Promise<void> => {
      await heads
        .updateOne({ _id: headId }, { $setOnInsert: { seq: 0, hash: genesisHash } }, { upsert: true })
        .catch(error => {
          // Another replica has created it at the same time.
          if (!isDuplicateKey(error)) throw error
        })
      while (await chainMissing());
    },

    /** Writes an entry in the transaction of the act itself. */
    add: async (record: AuditRecord, session: ClientSession): Promise<void> => {
      const { at, action, by, subject, before, after, address = currentTrace.getStore()?.address } = record
      const head = await reserveSequenceNumbers(1, session)
      const entry = storable({
        id: newId(),
        at: new Date(at).toISOString(),
        action,
        actor: actorKindOf(by),
        by: by === 'operator' ? null : by && { id: by.id, name: by.name },
        subject: subject && { id: subject.id, name: subject.name, email: subject.email },
        address: address ? networkOf(address) : null,
        before,
        after,
      })
      const chained = chainEntry(entry, head)
      const { id, at: time, ...fields } = chained
      const row: StoredEntry = {
        ...fields,
        _id: id,
        at: new Date(time),
        search_words: subject ? searchWords(subject.name, subject.email) : [],
      }
      await model.create([row], { session })
      await moveHead(chained, session)
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
     * The ids of others with these email addresses that entries are about: invitations, people who
     * were deleted, and people with another account.
     */
    findSubjectsWithEmail: async (
      emails: readonly string[],
      exceptId: string,
      session: ClientSession,
    ): Promise<string[]> =>
      model
        .distinct('subject.id', { 'subject.email': { $in: [...emails] }, 'subject.id': { $ne: exceptId } })
        .setOptions({ session, ...fullScan }),

    /** The names and addresses by which entries name a person: those of the time of each entry. */
    namesOf: async (personId: string, session: ClientSession): Promise<string[]> => {
      const rows = await model.find({ 'subject.id': personId }, { subject: 1 }).session(session).lean()
      const acts = await model.distinct('by.name', { 'by.id': personId }).session(session)
      return [...new Set([...rows.flatMap(({ subject }) => [subject!.name, subject!.email]), ...acts])]
    },

    /**
     * Somebody whom entries name, with the addresses of these entries. Undefined once they are
     * erased.
     */
    findFormerPerson: async (
      personId: string,
      session: ClientSession,
    ): Promise<{ role: Role; createdAt: string; emails: string[] } | undefined> => {
      const rows = await model
        .find({ 'subject.id': personId, 'subject.email': { $ne: '' } }, { action: 1, at: 1, subject: 1, before: 1 })
        .sort({ at: 1, _id: 1 })
        .session(session)
        .lean()
      if (rows.length === 0) return undefined
      const deletion = rows.findLast(({ action }) => action === 'deleted')
      return {
        role: role.safeParse(deletion?.before.role).data ?? 'user',
        createdAt: rows[0]!.at.toISOString(),
        emails: rows.map(({ subject }) => subject!.email.toLowerCase()),
      }
    },

    /**
     * Replaces values of claims that equal one of these names and addresses of an erased person.
     * The entry then names the id, because without its salt it needs an erased person.
     */
    eraseClaimValues: async (personId: string, names: readonly string[], session: ClientSession): Promise<void> => {
      const texts = names.filter(text => text !== '')
      if (texts.length === 0) return
      const rows = await model
        .find({ $or: [{ 'after.claim_value': { $exists: true } }, { action: 'claim_rules_changed' }] }, { after: 1 })
        .setOptions({ session, ...fullScan })
        .lean()
      for (const { _id, after } of rows) {
        const change = eraseClaims(after, texts)
        if (!change) continue
        await model.updateOne(
          { _id },
          { $set: { after: { ...change, [claimPersonField]: personId } }, $unset: { details_salt: 1 } },
          { session },
        )
      }
    },

    /**
     * Removes the name and addresses of a person from all entries, and the comments in entries
     * about them. Their id, the acts and the times stay. Without its salt, an entry counts as
     * erased in the hash chain, if `erasedPeopleOf` and an entry `erased` agree.
     */
    eraseSubject: async (personId: string, session: ClientSession): Promise<void> => {
      await model.updateMany(
        { 'subject.id': personId },
        {
          $set: { 'subject.name': erasedName, 'subject.email': '', search_words: [] },
          $unset: { 'after.comment': 1, details_salt: 1 },
        },
        { session },
      )
      // Without an actor, the network is that of the person's own sign-ins.
      await model.updateMany(
        { 'subject.id': personId, by: null },
        { $set: { address: null }, $unset: { 'after.networks': 1, 'after.device': 1 } },
        { session },
      )
      // Somebody who was an administrator before. They chose the names of files and second factors.
      await model.updateMany(
        { 'by.id': personId },
        { $set: { 'by.name': erasedName, address: null }, $unset: { 'after.file_name': 1, details_salt: 1 } },
        { session },
      )
      await model.updateMany(
        {
          $or: [{ 'by.id': personId }, { 'subject.id': personId }],
          action: { $in: ['second_factor_added', 'second_factor_removed'] },
        },
        { $unset: { 'before.name': 1, 'after.name': 1 } },
        { session },
      )
      for (const side of ['before', 'after'])
        for (const [idField, nameField] of personFields) {
          const entries = { [`${side}.${idField}`]: personId }
          const change = {
            $set: { [`${side}.${nameField}`]: erasedName },
            $unset: { 'after.comment': 1, details_salt: 1 } as const,
          }
          await model.updateMany(entries, change, { session, comment: fullScan.comment })
        }
    },

    /**
     * Lets a long transaction wait for its sequence number at its beginning. Otherwise it would
     * repeat all of its work if another entry was written meanwhile.
     */
    lockChain: async (session: ClientSession): Promise<void> => {
      await heads.updateOne({ _id: headId }, { $inc: { relied_on: 1 } }, { session })
    },

    /** Undefined before the first start of a version with a chain. */
    head: async (): Promise<ChainHead | undefined> => {
      const row = await heads.findById(headId).lean()
      return row ? { seq: row.seq, hash: row.hash } : undefined
    },

    /** The lowest and the highest sequence number of the entries of a time, ms, inclusive. */
    findSequenceRange: async ({
      from,
      until,
    }: {
      from?: number
      until?: number
    }): Promise<{ first: number; last: number }> => {
      const at = { $gte: new Date(from ?? 0), ...(until !== undefined && { $lte: new Date(until) }) }
      const [range] = await model.aggregate<{ first: number; last: number }>([
        { $match: { at, seq: { $gt: 0 } } },
        { $group: { _id: null, first: { $min: '$seq' }, last: { $max: '$seq' } } },
      ])
      return range ? { first: range.first, last: range.last } : { first: 1, last: 0 }
    },

    /** At most `limit` entries in the order of the chain, after the sequence number `after`. */
    chainAfter: async (after: number, limit: number): Promise<ChainedAuditEntry[]> => {
      const rows = await model
        .find({ seq: { $gt: after } })
        .sort({ seq: 1, _id: 1 })
        .limit(limit)
        .lean()
      return rows.map(toChainedEntry)
    },

    /**
     * The number of entries with a sequence number up to `last`: that many, unless somebody changed
     * them.
     */
    countChained: (last: number): Promise<number> => model.countDocuments({ seq: { $gte: 1, $lte: last } }),

    /**
     * How long MongoDB keeps entries, in seconds, by the index that removes them. Undefined without
     * it: then none expires.
     */
    readRetentionS: async (): Promise<number | undefined> => {
      const indexes = await model.collection.indexes()
      return indexes.find(({ name }) => name === expiryIndex)?.expireAfterSeconds
    },

    /** Entries of an earlier version that has run beside this one. The next start chains them. */
    countUnchained: (): Promise<number> => model.countDocuments({ seq: null }),

    /** A page of entries, by time. */
    page: async ({ action, withoutSignIns, withoutSetup, search, from, until, order, after, limit }: AuditQuery) => {
      const actions = action ? [action] : auditAction.options
      const filter: QueryFilter<StoredEntry> = {
        action: { $in: actions.filter(option => !withoutSignIns || option !== 'admin_signed_in') },
        ...(withoutSetup && {
          $nor: [
            {
              by: null,
              actor: { $ne: 'operator' },
              action: { $nin: actsWithoutPerson },
              'after.claim': { $exists: false },
            },
          ],
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

function toAuditEntry(row: StoredEntry): AuditEntry {
  const { by, subject, before, after, address, seq } = row
  return {
    id: row._id,
    at: row.at.toISOString(),
    action: row.action,
    actor: actorOf(row),
    by,
    subject,
    before,
    after,
    ...(address !== undefined && { address }),
    ...(seq !== undefined && { seq }),
  }
}

function actorKindOf(by: AuditRecord['by']): AuditActor {
  if (by === 'operator') return by
  if (!by) return 'system'
  return by.role === 'director' ? by.role : 'administrator'
}

/**
 * Earlier versions stored no actor. Then only the operator could set a password without a sign-in.
 */
function actorOf({ actor, by, action }: StoredEntry): AuditActor {
  return actor ?? (by ? 'administrator' : action === 'password_changed' ? 'operator' : 'system')
}

/** An entry of an earlier version, ready for the chain. */
function toChainable(row: StoredEntry): Parameters<typeof chainEntry>[0] {
  const { _id: id, at, action, by, subject, before, after, address = null } = row
  return { id, at: at.toISOString(), action, actor: actorOf(row), by, subject, address, before, after }
}

function toChainedEntry(row: StoredEntry): ChainedAuditEntry {
  const { seq, details_salt = null, details_hash = '', prev_hash = '', hash = '' } = row
  return { ...toChainable(row), seq: seq!, details_salt, details_hash, prev_hash, hash }
}
