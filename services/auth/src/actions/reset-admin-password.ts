import { newPassword } from '@watchline/contracts/auth'
import { systemClock } from '@watchline/kit/core/clock'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import { createOutbox } from '@watchline/kit/messaging/outbox'
import { createDatabase, openDatabase } from '@watchline/kit/mongo/database'
import { createLogger } from '@watchline/kit/observability/log'
import type { DatabaseConfig } from '../config.ts'
import { createAuditStore } from '../store/audit.ts'
import { createCredentialStore } from '../store/credentials.ts'
import { createPeopleStore } from '../store/people.ts'
import { createSessionStore } from '../store/sessions.ts'
import { createPasswordHasher } from './hash-password.ts'
import { replacePassword } from './replace-password.ts'

/** What whoever runs Watchline may do without signing in, straight at this service's database. */
export interface AdminAccounts {
  /** The e-mail addresses of the administrators. */
  emails(): Promise<string[]>
  /** Sets a new password and ends all login sessions of that administrator; answers how many. */
  resetPassword(email: string, password: string): Promise<{ endedSessions: number }>
  close(): Promise<void>
}

/** What the operator is told in plain words. */
export class AdminCommandError extends Error {}

/**
 * Opens the auth service's database, whether the service runs or not: what is written is told to a running one by its outbox, and
 * to one that starts later when it starts. Rejects when no server answers.
 */
export async function openAdminAccounts({ mongoUrl, databasePrefix }: DatabaseConfig): Promise<AdminAccounts> {
  const connection = createDatabase()
  const clock = systemClock
  const ctx = {
    clock,
    // A live store of its own, seen by nobody: versions are raised for good by the relay of the service.
    outbox: createOutbox({
      connection,
      source: 'auth',
      live: createMemoryLiveStore(),
      clock,
      log: createLogger('operator', 'silent'),
    }),
    people: createPeopleStore(connection),
    credentials: createCredentialStore(connection),
    sessions: createSessionStore(connection),
    audit: createAuditStore(connection),
    passwords: createPasswordHasher(),
  }
  try {
    await openDatabase(connection, mongoUrl, `${databasePrefix}-auth`)
  } catch (error) {
    await connection.close()
    throw new AdminCommandError(`MongoDB does not answer: ${(error as Error).message}`)
  }

  return {
    emails: ctx.credentials.emails,

    resetPassword: async (email, given) => {
      const password = newPassword.safeParse(given)
      if (!password.success) throw new AdminCommandError(password.error.issues[0]!.message)
      const credential = await ctx.credentials.byEmail(email.trim().toLowerCase())
      const admin = credential && (await ctx.people.byId(credential.personId))
      if (!admin) throw new AdminCommandError(`There is no administrator with the address ${email}.`)
      const to = await ctx.passwords.hash(password.data)
      const ended = await replacePassword(ctx, { admin, from: credential.passwordHash, to, by: null })
      if (!ended) throw new AdminCommandError('The password was changed by somebody else just now; nothing was done.')
      return { endedSessions: ended.length }
    },

    close: () => connection.close(),
  }
}
