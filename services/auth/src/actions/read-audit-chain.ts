import type { ChainedAuditEntry } from '@watchline/contracts/audit'
import type { AuditStore } from '../store/audit.ts'

const entriesAtOnce = 500

/** Batches of entries in the order of the chain, from number `first` to number `last`. */
export async function* readAuditChain(
  audit: Pick<AuditStore, 'chainAfter'>,
  { first, last }: { first: number; last: number },
): AsyncGenerator<ChainedAuditEntry[]> {
  let after = first - 1
  while (after < last) {
    const batch = await audit.chainAfter(after, Math.min(entriesAtOnce, last - after))
    const entries = batch.filter(entry => entry.seq <= last)
    if (entries.length === 0) return
    yield entries
    after = entries.at(-1)!.seq
  }
}
