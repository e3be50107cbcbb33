import { type AssignableRole, email as emailRule } from '@watchline/contracts/people'
import { ServiceError } from '@watchline/kit/core/errors'
import { developmentAccountIssuer, developmentIssuer } from '../config.ts'
import type { AuthContext } from '../context.ts'
import type { PersonRecord } from '../store/person-model.ts'
import { assignManager } from './assign-manager.ts'
import { assignRole } from './assign-role.ts'
import { assignSupervisor } from './assign-supervisor.ts'
import { createAdmin } from './create-admin.ts'
import { upsertAccount } from './upsert-account.ts'

/** A demo organisation: people by email address, with accounts of the development provider. */
export interface Organisation {
  admin?: { name: string; email: string; password: string }
  people: readonly {
    name: string
    email: string
    role: AssignableRole
    /** For users: the supervisor's email address. */
    supervisor?: string
    /** For supervisors: the manager's email address. */
    manager?: string
  }[]
}

/**
 * Creates an organisation with the same rules and events as sign-ins and changes by an
 * administrator. Leaves people alone who have changed since an earlier seed. Returns the ids by
 * email address; not that of the administrator if another one was there before.
 */
export async function seedOrganisation(
  ctx: AuthContext,
  organisation: Organisation,
): Promise<ReadonlyMap<string, string>> {
  if (!developmentIssuer(ctx.config)) throw new Error('seeding an organisation requires the development provider')
  if (organisation.admin) await seedAdmin(ctx, organisation.admin)

  const seeded = new Map<string, PersonRecord>()
  for (const member of organisation.people) {
    const email = emailRule.parse(member.email)
    const identity = { issuer: developmentAccountIssuer, subject: email }
    const person =
      (await ctx.people.byIdentity(identity)) ??
      (await upsertAccount(ctx, identity, { name: member.name, email, emailVerified: true, picture: null }))
    const isUnchanged = person.version === 1
    seeded.set(email, isUnchanged ? await assignRole(ctx, { id: person.id, role: member.role, by: null }) : person)
  }

  const findSeeded = (email: string) => {
    const person = seeded.get(emailRule.parse(email))
    if (!person) throw new Error(`${email} is not among the organisation's people`)
    return person
  }
  for (const { email, role, supervisor, manager } of organisation.people) {
    const person = findSeeded(email)
    if (supervisor && person.role === 'user' && person.version === 1)
      await assignSupervisor(ctx, { id: person.id, supervisorId: findSeeded(supervisor).id, by: null })
    // At version 2 the role is the only change so far.
    if (manager && role === 'supervisor' && person.role === 'supervisor' && person.version === 2)
      await assignManager(ctx, { id: person.id, managerId: findSeeded(manager).id, by: null })
  }
  const ids = new Map([...seeded].map(([email, person]) => [email, person.id]))
  const adminEmail = organisation.admin && emailRule.parse(organisation.admin.email)
  const admin = adminEmail && (await ctx.credentials.byEmail(adminEmail))
  if (admin) ids.set(adminEmail, admin.personId)
  return ids
}

async function seedAdmin(ctx: AuthContext, admin: NonNullable<Organisation['admin']>) {
  if (await ctx.firstAdmin.exists()) return
  try {
    await createAdmin(ctx, { ...admin, email: emailRule.parse(admin.email) })
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'admin_exists')) throw error
  }
}
