import { createHash, randomBytes } from 'node:crypto'
import type { ChainedAuditEntry } from '@watchline/contracts/audit'
import { canonicalJson } from '@watchline/kit/core/canonical-json'

/** The hash before the first entry. */
export const genesisHash = '0'.repeat(64)

type Details = Pick<ChainedAuditEntry, 'by' | 'subject' | 'address' | 'before' | 'after'>
type Facts = Pick<ChainedAuditEntry, 'seq' | 'id' | 'at' | 'action' | 'actor' | 'by' | 'subject'>

/** The end of the chain: the latest entry's sequence number and hash. */
export interface ChainHead {
  seq: number
  hash: string
}

/** Gives an entry the sequence number after `head`. */
export function chainEntry(entry: Omit<Facts, 'seq'> & Details, head: ChainHead): ChainedAuditEntry {
  const seq = head.seq + 1
  const details_salt = randomBytes(16).toString('hex')
  const details_hash = hashDetails(entry, details_salt)
  const prev_hash = head.hash
  const hash = hashEntry({ ...entry, seq, details_hash, prev_hash })
  return { ...entry, seq, details_salt, details_hash, prev_hash, hash }
}

/** Without the salt, a guess of a name could be compared with the hash of erased details. */
export function hashDetails({ by, subject, address, before, after }: Details, salt: string): string {
  return sha256(canonicalJson({ salt, by, subject, address, before, after }))
}

export function hashEntry(entry: Facts & Pick<ChainedAuditEntry, 'details_hash' | 'prev_hash'>): string {
  const { seq, id, at, action, actor, by, subject, details_hash, prev_hash } = entry
  return sha256(
    canonicalJson({
      seq,
      id,
      at,
      action,
      actor,
      by: by?.id ?? null,
      subject: subject?.id ?? null,
      details_hash,
      prev_hash,
    }),
  )
}

/**
 * The value as MongoDB returns it: a field without a value is absent, and texts are well-formed.
 */
export function storable<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part)),
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
