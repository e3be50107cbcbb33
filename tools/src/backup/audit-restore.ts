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

/** The present head, null if there is no audit log. Call it before the databases are dropped. */
export function readAuditHead(auth: mongoose.mongo.Db): Promise<AuditHead | null> {
  return auth.collection<AuditHead & { _id: string }>('audit_chain').findOne({ _id: 'head' })
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
