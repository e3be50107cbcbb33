import type { AuditAction, AuditActor } from '@watchline/contracts/audit'
import { newId } from '@watchline/kit/mongo/database'
import type mongoose from 'mongoose'

/** The head of the audit log's hash chain. */
interface AuditHead {
  seq: number
  hash: string
}

/** An entry as auth stores it. Without a sequence number, the next start of auth chains it. */
interface NewAuditEntry {
  _id: string
  at: Date
  action: AuditAction
  actor: AuditActor
  by: null
  subject: null
  address: null
  before: Record<string, never>
  after: Record<string, string | number>
  search_words: string[]
}

/** The collection of auth that a restore keeps until it is complete. */
export const unfinishedRestore = 'unfinished_restore'

/**
 * The head before the restore, null if there was no audit log. It stays stored until the restore is
 * complete: if it fails half-way and is repeated, the databases have the head of the backup.
 */
export async function keepAuditHead(auth: mongoose.mongo.Db): Promise<AuditHead | null> {
  const head = await auth.collection<AuditHead & { _id: string }>('audit_chain').findOne({ _id: 'head' })
  const kept = await auth
    .collection<{ _id: string; head: AuditHead | null }>(unfinishedRestore)
    .findOneAndUpdate(
      { _id: 'head' },
      { $setOnInsert: { head: head && { seq: head.seq, hash: head.hash } } },
      { upsert: true, returnDocument: 'after' },
    )
  return kept!.head
}

/**
 * Writes into the restored audit log that it was restored, and which entries this replaced.
 * Otherwise their absence would look like somebody's manipulation.
 */
export async function auditRestore(
  auth: mongoose.mongo.Db,
  { backupAt, at, replaced }: { backupAt: string; at: Date; replaced: AuditHead | null },
): Promise<void> {
  const after = { backup_at: backupAt, ...(replaced && { replaced_seq: replaced.seq, replaced_hash: replaced.hash }) }
  await auth.collection<NewAuditEntry>('audit').insertOne({
    ...{ _id: newId(), at, action: 'restored', actor: 'operator' },
    ...{ by: null, subject: null, address: null, before: {}, after, search_words: [] },
  })
}
