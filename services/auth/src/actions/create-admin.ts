import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { fail } from '@watchline/kit/core/errors'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { AuthContext } from '../context.ts'
import { newPerson, type PersonRecord } from '../store/person-model.ts'

type Deps = Pick<AuthContext, 'outbox' | 'people' | 'firstAdmin' | 'credentials' | 'audit' | 'clock' | 'passwords'>

/**
 * Creates the first administrator. One of several concurrent calls succeeds; the others fail with
 * `admin_exists`.
 */
export async function createAdmin(
  deps: Deps,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<PersonRecord> {
  const passwordHash = await deps.passwords.hash(password)
  try {
    return await deps.outbox.transaction(async tx => {
      const at = deps.clock.now()
      const admin = newPerson({ name, email, role: 'admin', createdAt: new Date(at).toISOString() })
      await deps.firstAdmin.insert(admin.id, tx.session)
      await deps.people.insert(admin, undefined, tx.session)
      await deps.credentials.insert(admin.id, email, passwordHash, tx.session)
      tx.publish('user.created', admin.id, { person: toPersonSnapshot(admin), by: null })
      // Nobody is signed in during setup, so the entry has no actor.
      await deps.audit.add(
        { at, action: 'admin_created', by: null, subject: admin, before: {}, after: { role: 'admin' } },
        tx.session,
      )
      return admin
    })
  } catch (error) {
    if (isDuplicateKey(error)) fail('admin_exists')
    throw error
  }
}
