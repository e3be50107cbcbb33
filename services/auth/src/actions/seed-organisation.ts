import { type AssignableRole, email as emailRule } from '@watchline/contracts/people'
import { ServiceError } from '@watchline/kit/core/errors'
import { developmentAccounts, developmentIssuer } from '../config.ts'
import type { AuthContext } from '../context.ts'
import type { PersonRecord } from '../store/people.ts'
import { assignManager } from './assign-manager.ts'
import { assignRole } from './assign-role.ts'
import { assignSupervisor } from './assign-supervisor.ts'
import { createAdmin } from './create-admin.ts'
import { upsertAccount } from './upsert-account.ts'

/** An organisation to begin with: its people by e-mail address, as accounts of the development provider. */
export interface Organisation {
  admin?: { name: string; email: string; password: string }
  people: readonly {
    name: string
    email: string
    role: AssignableRole
    /** E-mail of the supervisor, for users. */
    supervisor?: string
    /** E-mail of the manager, for supervisors. */
    manager?: string
  }[]
}

/**
 * Brings in an organisation by the same rules and with the same events as if they had signed in and been given their roles. What is
 * there stays: a person who was changed since is left as they are. Answers everybody's id by their e-mail address.
 */
export async function seedOrganisation(
  ctx: AuthContext,
  organisation: Organisation,
): Promise<ReadonlyMap<string, string>> {
  if (!developmentIssuer(ctx.config))
    throw new Error('an organisation can be seeded with the development provider only')
  if (organisation.admin) await seedAdmin(ctx, organisation.admin)

  const seeded = new Map<string, PersonRecord>()
  for (const { name, email: given, role } of organisation.people) {
    const email = emailRule.parse(given)
    const identity = { issuer: developmentAccounts, subject: email }
    const person =
      (await ctx.people.byIdentity(identity)) ??
      (await upsertAccount(ctx, identity, { name, email, emailVerified: true, picture: null }))
    const isNew = person.version === 1
    seeded.set(email, isNew ? await assignRole(ctx, { id: person.id, role, by: null }) : person)
  }

  const find = (email: string) => {
    const person = seeded.get(emailRule.parse(email))
    if (!person) throw new Error(`${email} is not among the organisation's people`)
    return person
  }
  for (const { email, role, supervisor, manager } of organisation.people) {
    const person = find(email)
    if (supervisor && person.role === 'user' && person.version === 1)
      await assignSupervisor(ctx, { id: person.id, supervisorId: find(supervisor).id, by: null })
    // Version 2: the role was given, and nothing since.
    if (manager && role === 'supervisor' && person.role === 'supervisor' && person.version === 2)
      await assignManager(ctx, { id: person.id, managerId: find(manager).id, by: null })
  }
  return new Map([...seeded].map(([email, person]) => [email, person.id]))
}

async function seedAdmin(ctx: AuthContext, admin: NonNullable<Organisation['admin']>) {
  if (await ctx.people.hasAdmin()) return
  try {
    await createAdmin(ctx, { ...admin, email: emailRule.parse(admin.email) })
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'admin_exists')) throw error
  }
}
