import { type ChainedAuditEntry, chainedAuditEntry } from '@watchline/contracts/audit'
import { erasedPeopleOf, otherIdsField } from '../rules/erased-entry.ts'
import { type ChainHead, genesisHash, hashDetails, hashEntry } from '../store/audit-chain.ts'

export interface AuditVerdict {
  /** The number of entries that were checked. */
  entries: number
  /** Of these, entries whose details were erased, so that only their facts could be checked. */
  erased: number
  first: number | undefined
  head: ChainHead
  /** The first entry that is not as it was written, or undefined. */
  fault: { seq: number; id: string; reason: string } | undefined
}

interface VerifyOptions {
  /** Old entries expire, and an export may begin later. The beginning then proves nothing. */
  mayBeginLater: boolean
  /** The head of the chain at an earlier time, for instance from the log. */
  checkpoint?: ChainHead | undefined
}

/**
 * Checks a hash chain of audit entries: that none was changed, removed, inserted or moved since it
 * was written. It cannot see that the latest entries were removed; for that, compare the head with
 * a checkpoint.
 *
 * The details of an entry without a salt cannot be checked. So they must look erased, and the chain
 * must have an entry about the erasure of a person of this entry.
 */
export async function verifyAudit(
  entries: AsyncIterable<unknown>,
  { mayBeginLater, checkpoint }: VerifyOptions,
): Promise<AuditVerdict> {
  const verdict: AuditVerdict = {
    entries: 0,
    erased: 0,
    first: undefined,
    head: { seq: 0, hash: genesisHash },
    fault: undefined,
  }
  const fail = (entry: unknown, reason: string) => {
    const { seq, id } = Object(entry) as { seq?: unknown; id?: unknown }
    const sequenceNumber = typeof seq === 'number' ? seq : verdict.head.seq + 1
    verdict.fault = { seq: sequenceNumber, id: String(id ?? 'unknown'), reason }
    return verdict
  }
  const erasures = createErasureList()
  for await (const raw of entries) {
    const parsed = chainedAuditEntry.safeParse(raw)
    if (!parsed.success) return fail(raw, 'is not a whole entry of the chain')
    const entry = parsed.data
    const begins = verdict.entries === 0 && mayBeginLater
    const reason = begins ? findFault(entry, undefined) : findFault(entry, verdict.head)
    if (reason) return fail(entry, reason)
    if (checkpoint?.seq === entry.seq && checkpoint.hash !== entry.hash)
      return fail(entry, 'differs from the checkpoint')
    verdict.first ??= entry.seq
    verdict.entries += 1
    if (entry.details_salt === null) verdict.erased += 1
    erasures.add(entry)
    verdict.head = { seq: entry.seq, hash: entry.hash }
  }
  if (checkpoint && verdict.head.seq < checkpoint.seq)
    return fail({ seq: verdict.head.seq + 1 }, `is missing: the checkpoint knows ${checkpoint.seq} entries`)
  const unexplained = erasures.findUnexplained()
  return unexplained
    ? fail(unexplained, 'has erased details, but no entry says that a person in it was erased')
    : verdict
}

/**
 * Compares what was read of a whole chain with its head, and with the number of stored entries up
 * to it. Fewer than were read is no fault: the oldest may have expired since.
 */
export function findFaultAtHead(
  { head: read, entries }: Pick<AuditVerdict, 'head' | 'entries'>,
  head: ChainHead,
  count: number,
): string | undefined {
  if (count > entries) return `is the last of ${entries} entries, but ${count} have a sequence number up to it`
  if (read.seq !== head.seq || read.hash !== head.hash)
    return `is the last one that is left, but ${head.seq} were written`
  return undefined
}

/** Entries without details, and the erasures that explain them. */
function createErasureList() {
  const erasedIds = new Set<string>()
  const withoutDetails: { seq: number; id: string; people: string[]; namesErased: boolean }[] = []
  /**
   * Earlier versions did not list the other ids that had the person's address, and a list is erased
   * with the administrator of its entry.
   */
  let lastWithoutList = 0
  return {
    add: (entry: ChainedAuditEntry) => {
      const { seq, id, action, subject, after, details_salt } = entry
      if (action === 'erased' && subject) {
        erasedIds.add(subject.id)
        const otherIds = after[otherIdsField]
        // Without a salt, nothing proves what the list has: the administrator who erased the person
        // was erased later.
        if (details_salt === null || otherIds === undefined) lastWithoutList = seq
        if (details_salt !== null && typeof otherIds === 'string')
          for (const otherId of otherIds.split(' ')) erasedIds.add(otherId)
      }
      if (details_salt !== null) return
      const people = erasedPeopleOf(entry)
      const isSubjectErased = subject !== null && people.includes(subject.id)
      withoutDetails.push({ seq, id, people, namesErased: isSubjectErased || people.includes(entry.by?.id ?? '') })
    },
    findUnexplained: () =>
      withoutDetails.find(
        ({ seq, people, namesErased }) =>
          !people.some(personId => erasedIds.has(personId)) && !(namesErased && seq < lastWithoutList),
      ),
  }
}

function findFault(entry: ChainedAuditEntry, previous: ChainHead | undefined): string | undefined {
  if (previous && entry.seq > previous.seq + 1) return `follows ${previous.seq}: entries between them are missing`
  if (previous && entry.seq <= previous.seq) return `follows ${previous.seq}: it is in the wrong place or a copy`
  if (previous && entry.prev_hash !== previous.hash) return 'does not continue the entry before it'
  if (entry.details_salt !== null && hashDetails(entry, entry.details_salt) !== entry.details_hash)
    return 'has other details than it was written with'
  if (hashEntry(entry) !== entry.hash) return 'has other facts than it was written with'
  return undefined
}
