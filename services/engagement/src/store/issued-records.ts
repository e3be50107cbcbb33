import type { IssuedDocument, IssuedKind, IssuedPerson, RecordSeal } from '@watchline/contracts/records'
import { fullScan } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, Schema } from 'mongoose'

/** An issued document as it is stored. */
export interface IssuedRecord {
  number: number
  code: string
  kind: IssuedKind
  seal: RecordSeal
  signature: string
  /**
   * The person whose document it is; null of a group’s, and after an erasure: only the seal stays.
   */
  personId: string | null
  /** The group whose record it is; null of a person’s document. */
  groupId: string | null
  /** The canonical JSON of the document; null after the person was erased. */
  content: string | null
  /** Without those who were erased. */
  people: IssuedPerson[]
  replacedAt: Date | null
}

/** A document is that of a person or of a group. */
export type DocumentOwner = { personId: string; groupId?: never } | { groupId: string; personId?: never }

export type NewIssuedRecord = Pick<IssuedRecord, 'code' | 'kind' | 'seal' | 'signature' | 'people'> &
  DocumentOwner & {
    content: string
    /** Such as one task. A later document of the same subject replaces this one. */
    subject: string
    /** Equal for documents that say the same. */
    fingerprint: string
  }

interface StoredRecord {
  _id: number
  code: string
  kind: IssuedKind
  seal: RecordSeal
  signature: string
  person_id?: string
  group_id?: string
  /** The subject. */
  scope?: string
  fingerprint?: string
  content?: string
  people: IssuedPerson[]
  replaced_at?: Date
}

interface StoredHead {
  _id: typeof headId
  seq: number
  hash: string
}

const headId = 'head'
/** Stands for the hash before the first seal. */
const firstPreviousHash = '0'.repeat(64)

/** The end of the chain: the number and the hash of the latest seal. */
export interface ChainHead {
  seq: number
  hash: string
}

/**
 * The register of issued documents. Documents are only added; an erasure removes what names
 * somebody, and the seals stay.
 */
export interface IssuedRecordStore {
  /** Call it before the first document: creates the head of the chain. */
  prepare(): Promise<void>
  /** Reserves the next number. Concurrent transactions conflict here, so the chain has no fork. */
  reserveNumber(session: ClientSession): Promise<ChainHead>
  /** Adds the document under the reserved number. Call it in the same transaction. */
  append(record: NewIssuedRecord, hash: string, session: ClientSession): Promise<void>
  /** The latest document of a subject. */
  findLatest(
    owner: DocumentOwner,
    subject: string,
    session: ClientSession,
  ): Promise<{ record: IssuedRecord; fingerprint: string | undefined } | undefined>
  markReplaced(number: number, at: Date, session: ClientSession): Promise<void>
  byCode(code: string): Promise<IssuedRecord | undefined>
  byNumber(number: number): Promise<IssuedRecord | undefined>
  head(): Promise<ChainHead>
  /** The seals and signatures in the order of the chain, up to a number. */
  readSeals(upTo: number): AsyncIterable<Pick<IssuedDocument, 'seal' | 'signature'>>
  /** Removes a person’s documents up to the seals, and their name from those of others. */
  erase(personId: string): Promise<void>
}

export function createIssuedRecordStore(connection: Connection): IssuedRecordStore {
  const mixed = Schema.Types.Mixed
  const schema = new Schema<StoredRecord>(
    {
      ...{ _id: Number, code: String, kind: String, seal: mixed, signature: String, person_id: String },
      group_id: String,
      ...{ scope: String, fingerprint: String, content: String, people: mixed, replaced_at: Date },
    },
    { versionKey: false, collection: 'issued_records', minimize: false },
  )
  schema.index({ code: 1 }, { unique: true })
  // For `findLatest`, and for exports of what is stored about a person.
  schema.index({ person_id: 1, scope: 1, _id: -1 })
  // The same for records of groups.
  schema.index({ group_id: 1, scope: 1, _id: -1 }, { partialFilterExpression: { group_id: { $gt: '' } } })
  // For `erase`: the documents that name a person.
  schema.index({ 'people.id': 1 })
  const stored = connection.model<StoredRecord>('IssuedRecord', schema)
  const heads = connection.model<StoredHead>(
    'RecordChainHead',
    new Schema<StoredHead>(
      { _id: String, seq: Number, hash: String },
      { versionKey: false, collection: 'record_chain' },
    ),
  )
  const findOne = async (filter: { _id: number } | { code: string }) => {
    const row = await stored.findOne(filter).lean()
    return row ? fromRow(row) : undefined
  }

  return {
    prepare: async () => {
      const insert = { $setOnInsert: { seq: 0, hash: firstPreviousHash } }
      await heads.updateOne({ _id: headId }, insert, { upsert: true }).catch(error => {
        // Another replica has created it at the same time.
        if (!isDuplicateKey(error)) throw error
      })
    },
    reserveNumber: async session => {
      const head = await heads.findOneAndUpdate({ _id: headId }, { $inc: { seq: 1 } }, { session }).lean()
      if (!head) throw new Error('the chain of records has no head: prepare the store before the first document')
      return head
    },
    append: async ({ personId, groupId, subject, seal, ...fields }, hash, session) => {
      const row = { _id: seal.number, ...ownerFields({ personId, groupId }), scope: subject, seal, ...fields }
      await stored.create([row], { session })
      await heads.updateOne({ _id: headId }, { $set: { hash } }, { session })
    },
    findLatest: async (owner, subject, session) => {
      const row = await stored
        .findOne({ ...ownerFields(owner), scope: subject })
        .sort({ _id: -1 })
        .session(session)
        .lean()
      return row ? { record: fromRow(row), fingerprint: row.fingerprint } : undefined
    },
    markReplaced: async (number, at, session) => {
      await stored.updateOne({ _id: number }, { $set: { replaced_at: at } }, { session })
    },
    byCode: code => findOne({ code }),
    byNumber: number => findOne({ _id: number }),
    head: async () => {
      const head = await heads.findById(headId).lean()
      return { seq: head?.seq ?? 0, hash: head?.hash ?? firstPreviousHash }
    },
    readSeals: async function* (upTo) {
      const rows = stored
        .find({ _id: { $lte: upTo } }, { seal: 1, signature: 1 })
        .sort({ _id: 1 })
        .comment(fullScan.comment)
        .lean()
        .cursor()
      for await (const { seal, signature } of rows) yield { seal, signature }
    },
    erase: async personId => {
      await stored.updateMany(
        { person_id: personId },
        { $unset: { person_id: 1, scope: 1, fingerprint: 1, content: 1 }, $set: { people: [] } },
      )
      // The fingerprint contains the name.
      await stored.updateMany(
        { 'people.id': personId },
        { $pull: { people: { id: personId } }, $unset: { fingerprint: 1 } },
      )
    },
  }
}

function ownerFields({ personId, groupId }: { personId?: string | undefined; groupId?: string | undefined }) {
  return groupId === undefined ? { person_id: personId! } : { group_id: groupId }
}

function fromRow(row: StoredRecord): IssuedRecord {
  return {
    ...{ number: row._id, code: row.code, kind: row.kind, seal: row.seal, signature: row.signature },
    ...{
      personId: row.person_id ?? null,
      groupId: row.group_id ?? null,
      content: row.content ?? null,
      people: row.people,
    },
    replacedAt: row.replaced_at ?? null,
  }
}
