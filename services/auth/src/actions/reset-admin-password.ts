import { newPassword } from '@watchline/contracts/auth'
import { systemClock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import { createOutbox } from '@watchline/kit/messaging/outbox'
import { createDatabase, openDatabase } from '@watchline/kit/mongo/database'
import { createLogger } from '@watchline/kit/observability/log'
import type { DatabaseConfig } from '../config.ts'
import { createAuditStore } from '../store/audit.ts'
import { createCredentialStore } from '../store/credentials.ts'
import { createMembershipCheckStore } from '../store/membership-checks.ts'
import { createPeopleStore } from '../store/people.ts'
import { createPersonModel } from '../store/person-model.ts'
import { createRecoveryCodeStore } from '../store/recovery-codes.ts'
import { createSecondFactorStore } from '../store/second-factors.ts'
import { createSessionStore } from '../store/sessions.ts'
import { createPasswordHasher } from './hash-password.ts'
import { replacePassword } from './replace-password.ts'
import { describePasswordProblem } from './require-strong-password.ts'

/**
 * Operator access to the administrators' accounts, without a sign-in, directly in this service's
 * database.
 */
export interface AdminAccounts {
  emails(): Promise<string[]>
  /**
   * Sets a new password and ends all of the administrator's login sessions. Returns their number.
   */
  resetPassword(email: string, password: string): Promise<{ endedSessions: number }>
  /**
   * Removes all second factors and recovery codes of an administrator who lost them. Returns the
   * number of factors.
   */
  removeSecondFactors(email: string): Promise<number>
  close(): Promise<void>
}

/** An error whose message is for the operator. */
export class AdminCommandError extends Error {}

/**
 * Opens the auth service's database, whether the service runs or not. The outbox of a running
 * service publishes the events and bumps the versions; a stopped one does so at its next start. So
 * `live` may be private to the command. Rejects if MongoDB does not answer.
 */
export async function openAdminAccounts(
  { mongoUrl, databasePrefix }: DatabaseConfig,
  live: LiveStore,
): Promise<AdminAccounts> {
  const connection = createDatabase()
  const clock = systemClock
  const people = createPeopleStore(createPersonModel(connection), createMembershipCheckStore(connection))
  const credentials = createCredentialStore(connection)
  const secondFactors = createSecondFactorStore(connection)
  const recoveryCodes = createRecoveryCodeStore(connection)
  const passwords = createPasswordHasher()
  const deps = {
    clock,
    credentials,
    outbox: createOutbox({
      connection,
      source: 'auth',
      live,
      clock,
      log: createLogger('operator', 'silent'),
    }),
    sessions: createSessionStore(connection),
    audit: createAuditStore(connection),
  }
  try {
    await openDatabase(connection, mongoUrl, `${databasePrefix}-auth`)
    await deps.audit.prepare()
  } catch (error) {
    await connection.close()
    throw new AdminCommandError(`MongoDB does not answer: ${(error as Error).message}`)
  }

  async function findAdmin(email: string) {
    const credential = await credentials.byEmail(email.trim().toLowerCase())
    const admin = credential && (await people.byId(credential.personId))
    if (!admin) throw new AdminCommandError(`There is no administrator with the address ${email}.`)
    return { admin, from: credential.passwordHash }
  }

  return {
    emails: credentials.emails,

    resetPassword: async (email, password) => {
      const checked = newPassword.safeParse(password)
      if (!checked.success) throw new AdminCommandError(checked.error.issues[0]!.message)
      const { admin, from } = await findAdmin(email)
      const problem = describePasswordProblem(checked.data, admin)
      if (problem) throw new AdminCommandError(problem)
      const to = await passwords.hash(checked.data)
      const ended = await replacePassword(deps, { admin, from, to, by: 'operator' })
      if (!ended)
        throw new AdminCommandError('Nothing was changed: somebody else has just changed the password. Try again.')
      return { endedSessions: ended.length }
    },

    removeSecondFactors: async email => {
      const { admin } = await findAdmin(email)
      return deps.outbox.transaction(async tx => {
        const removed = await secondFactors.removeAll(admin.id, tx.session)
        await recoveryCodes.remove(admin.id, tx.session)
        if (removed === 0) return 0
        await deps.audit.add(
          {
            at: clock.now(),
            action: 'second_factor_removed',
            by: 'operator',
            subject: admin,
            before: { second_factors: removed },
            after: {},
          },
          tx.session,
        )
        return removed
      })
    },

    close: () => connection.close(),
  }
}
