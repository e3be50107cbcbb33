import { createDatabase, openDatabase } from '@watchline/kit/mongo/database'
import type { DatabaseConfig } from '../config.ts'
import { createAuditStore } from '../store/audit.ts'
import type { ChainHead } from '../store/audit-chain.ts'
import { readAuditChain } from './read-audit-chain.ts'
import { AdminCommandError } from './reset-admin-password.ts'
import { type AuditVerdict, verifyAudit } from './verify-audit.ts'

/** Operator access to the audit log, directly in this service's database. It changes nothing. */
export interface AuditLog {
  verify(checkpoint: ChainHead | undefined): Promise<AuditVerdict>
  /** Entries that an earlier version wrote. The next start of auth chains them. */
  countUnchained(): Promise<number>
  close(): Promise<void>
}

/** Rejects if MongoDB does not answer. */
export async function openAuditLog({ mongoUrl, databasePrefix }: DatabaseConfig): Promise<AuditLog> {
  const connection = createDatabase()
  const audit = createAuditStore(connection)
  try {
    await openDatabase(connection, mongoUrl, `${databasePrefix}-auth`)
  } catch (error) {
    await connection.close()
    throw new AdminCommandError(`MongoDB does not answer: ${(error as Error).message}`)
  }

  async function* entriesUpTo(last: number) {
    for await (const batch of readAuditChain(audit, { first: 1, last })) yield* batch
  }

  return {
    verify: async checkpoint => {
      // Read first: a running service adds entries behind it.
      const head = await audit.head()
      if (!head) throw new AdminCommandError('The audit log has no hash chain yet. Start Watchline once.')
      const verdict = await verifyAudit(entriesUpTo(head.seq), { mayBeginLater: true, checkpoint })
      if (verdict.fault) return verdict
      const count = await audit.countChained(head.seq)
      if (verdict.head.seq === head.seq && verdict.head.hash === head.hash && count === verdict.entries) return verdict
      const reason =
        count > verdict.entries
          ? `is the last of ${verdict.entries} entries, but ${count} have a sequence number up to it`
          : `is the last one that is left, but ${head.seq} were written`
      return { ...verdict, fault: { seq: verdict.head.seq, id: 'unknown', reason } }
    },
    countUnchained: audit.countUnchained,
    close: () => connection.close(),
  }
}
