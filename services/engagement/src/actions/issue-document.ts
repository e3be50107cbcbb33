import type {
  Certificate,
  GroupRecord,
  Issued,
  IssuedKind,
  RecordedPerson,
  WatchingRecord,
} from '@watchline/contracts/records'
import { canonicalJson } from '@watchline/kit/core/canonical-json'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { EngagementContext } from '../context.ts'
import type { DocumentOwner, IssuedRecord } from '../store/issued-records.ts'
import { createCode, createSeal, hashOf, saltPerson } from './seal-document.ts'

/** A document before it is issued. */
export type DocumentToIssue = DocumentOwner & {
  kind: IssuedKind
  /** A later document of the same subject replaces it. */
  subject: string
  content: Omit<WatchingRecord, 'people'> | Omit<GroupRecord, 'people'> | Certificate
  people: readonly RecordedPerson[]
  /** Whether the last document of the subject says the same; by default, if nothing differs. */
  isUnchanged?: (latest: IssuedRecord) => boolean
}

type Deps = Pick<EngagementContext, 'clock' | 'issuedRecords' | 'recordKeys'>

/**
 * Signs a document and adds it to the chain, in the caller’s transaction. If the last document of
 * the same subject says the same, it is the answer, and nothing is added. The second pass of an
 * erasure removes the names that a document under way has read before.
 */
export async function issueDocument(
  { clock, issuedRecords, recordKeys }: Deps,
  tx: Transaction,
  { kind, subject, content, people: named, isUnchanged, ...owner }: DocumentToIssue,
): Promise<Issued> {
  const fingerprint = hashOf({ content, named })
  const latest = await issuedRecords.findLatest(owner, subject, tx.session)
  const isSame = isUnchanged ?? (() => latest?.fingerprint === fingerprint)
  if (latest && isSame(latest.record)) return presentIssued(latest.record)
  const head = await issuedRecords.reserveNumber(tx.session)
  const issuedAt = new Date(clock.now())
  const code = createCode()
  const salted = named.map(saltPerson)
  const text = canonicalJson({ ...content, code, people: salted.map(hashOf) })
  const seal = createSeal({ kind, content: text, issuedAt, keyId: recordKeys.keyId }, head)
  const signature = recordKeys.sign(canonicalJson(seal))
  if (latest) await issuedRecords.markReplaced(latest.record.number, issuedAt, tx.session)
  const record = { code, kind, seal, signature, ...owner, subject, fingerprint, content: text, people: salted }
  await issuedRecords.append(record, hashOf(seal), tx.session)
  return { code, number: seal.number, kind, issued_at: seal.issued_at }
}

function presentIssued({ code, number, kind, seal }: IssuedRecord): Issued {
  return { code, number, kind, issued_at: seal.issued_at }
}
