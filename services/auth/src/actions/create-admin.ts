import { toPersonSnapshot } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import { newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { AuthContext } from '../context.ts'
import type { PersonRecord } from '../store/people.ts'

/** Creates the first administrator; of many that try at once one succeeds and the others learn that there is one. */
export async function createAdmin(
  ctx: Pick<AuthContext, 'outbox' | 'people' | 'credentials' | 'audit' | 'clock' | 'passwords'>,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<PersonRecord> {
  const passwordHash = await ctx.passwords.hash(password)
  try {
    return await ctx.outbox.transaction(async tx => {
      const admin: PersonRecord = {
        id: newId(),
        name,
        email,
        picture: null,
        role: 'admin',
        supervisorId: null,
        managerId: null,
        createdAt: new Date(ctx.clock.now()).toISOString(),
        version: 1,
        teamSize: 0,
        invited: false,
      }
      await ctx.people.claimFirstAdmin(admin.id, tx.session)
      await ctx.people.insert(admin, undefined, tx.session)
      await ctx.credentials.insert(admin.id, email, passwordHash, tx.session)
      tx.publish('user.created', admin.id, { person: toPersonSnapshot(admin), by: null })
      // Nobody was signed in: whoever set the system up is the administrator from now on.
      await ctx.audit.add(
        {
          at: ctx.clock.now(),
          action: 'admin_created',
          by: null,
          subject: admin,
          before: {},
          after: { role: 'admin' },
        },
        tx.session,
      )
      return admin
    })
  } catch (error) {
    if (isDuplicateKey(error)) fail('admin_exists')
    throw error
  }
}
