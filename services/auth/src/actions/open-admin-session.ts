import { fail } from '@watchline/kit/core/errors'
import { networkOf } from '@watchline/kit/http/network'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import type { AuditRecord } from '../store/audit.ts'
import type { PersonRecord } from '../store/person-model.ts'
import type { Session } from '../store/sessions.ts'
import { openSession } from './open-session.ts'

interface AdminSessionOpening {
  admin: PersonRecord
  /** The hash of the password that was entered. */
  passwordHash: string
  replacedSid: string | undefined
  userAgent: string | undefined
  address: string
  /** Completes the sign-in in the same transaction. Returns facts for the audit entry. */
  complete(tx: Transaction): Promise<AuditRecord['after']>
}

/** Opens a login session of an administrator, in one transaction with what the sign-in uses up. */
export async function openAdminSession(
  ctx: AuthContext,
  { admin, passwordHash, complete, ...browser }: AdminSessionOpening,
): Promise<Session> {
  let method = 'password'
  const { session } = await openSession(ctx, {
    person: admin,
    ...browser,
    alsoWrite: async tx => {
      // A change of the password ends existing sessions; the lock stops it from missing this one.
      const isCurrent = await ctx.credentials.lockPassword(admin.id, passwordHash, tx.session)
      if (!isCurrent) fail('invalid_credentials')
      const after = await complete(tx)
      if (after.second_factor) method = `password ${after.second_factor}`
      const at = ctx.clock.now()
      const entry = { at, action: 'admin_signed_in', by: admin, subject: admin, before: {}, after } as const
      await ctx.audit.add(entry, tx.session)
    },
  })
  ctx.security.record({ code: 'signed_in', personId: admin.id, network: networkOf(browser.address), method })
  return session
}
