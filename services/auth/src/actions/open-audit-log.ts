import { createDatabase, openDatabase } from '@watchline/kit/mongo/database'
import type { DatabaseConfig } from '../config.ts'
import { createAuditStore } from '../store/audit.ts'
import type { ChainHead } from '../store/audit-chain.ts'
import { readAuditChain } from './read-audit-chain.ts'
import { AdminCommandError } from './reset-admin-password.ts'
import { type AuditVerdict, findFaultAtHead, verifyAudit } from './verify-audit.ts'

/**
 * Entries before the first one have expired only if they were older than the retention. The longest
 * time without any entry that is believed: every sign-in of an administrator writes one.
 */
const longestPauseMs = 90 * 24 * 3_600_000

interface Expectation {
  checkpoint?: ChainHead | undefined
  /** The operator knows that the chain begins with this entry or an earlier one. */
  knownFirst?: number | undefined
}

/** Operator access to the audit log, directly in this service's database. It changes nothing. */
export interface AuditLog {
  verify(expectation?: Expectation): Promise<AuditVerdict>
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

  /** Undefined if the entries before the first one may have expired. */
  async function findMissingBeginning(knownFirst: number): Promise<AuditVerdict['fault']> {
    const [first] = await audit.chainAfter(0, 1)
    if (!first || first.seq <= knownFirst) return undefined
    const retentionS = (await audit.readRetentionS()) ?? Number.POSITIVE_INFINITY
    if (Date.parse(first.at) <= Date.now() - retentionS * 1_000 + longestPauseMs) return undefined
    return {
      seq: first.seq,
      id: first.id,
      reason: `is the first one, of ${first.at}: entries before it are missing that were too young to expire`,
    }
  }

  return {
    verify: async ({ checkpoint, knownFirst = 1 } = {}) => {
      // Read first: a running service adds entries behind it.
      const head = await audit.head()
      if (!head) throw new AdminCommandError('The audit log has no hash chain yet. Start Watchline once.')
      const verdict = await verifyAudit(entriesUpTo(head.seq), { mayBeginLater: true, checkpoint })
      if (verdict.fault) return verdict
      const reason = findFaultAtHead(verdict, head, await audit.countChained(head.seq))
      if (reason) return { ...verdict, fault: { seq: verdict.head.seq, id: 'unknown', reason } }
      return { ...verdict, fault: await findMissingBeginning(knownFirst) }
    },
    countUnchained: audit.countUnchained,
    close: () => connection.close(),
  }
}
