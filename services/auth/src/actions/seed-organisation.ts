import type { GroupSource } from '@watchline/contracts/groups'
import { type AssignableRole, email as emailRule } from '@watchline/contracts/people'
import { ServiceError } from '@watchline/kit/core/errors'
import { developmentAccountIssuer, developmentIssuer } from '../config.ts'
import type { AuthContext } from '../context.ts'
import type { PersonRecord } from '../store/person-model.ts'
import { assignManager } from './assign-manager.ts'
import { assignRole } from './assign-role.ts'
import { assignSupervisor } from './assign-supervisor.ts'
import { addMembers } from './change-group-members.ts'
import { createAdmin } from './create-admin.ts'
import { createGroup } from './manage-groups.ts'
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
  /** With members by their email addresses, or of all teams of a manager. */
  groups?: readonly {
    name: string
    members: readonly string[] | { manager: string }
    /** The supervisors who may assign to it. */
    assigners: readonly string[]
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
      (await upsertAccount(
        ctx,
        identity,
        { name: member.name, email, emailVerified: true, picture: null },
        { mayBeInvited: true },
      ))
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
  if (organisation.groups) await seedGroups(ctx, organisation.groups, findSeeded)
  const ids = new Map([...seeded].map(([email, person]) => [email, person.id]))
  const adminEmail = organisation.admin && emailRule.parse(organisation.admin.email)
  const admin = adminEmail && (await ctx.credentials.byEmail(adminEmail))
  if (admin) ids.set(adminEmail, admin.personId)
  return ids
}

/** Leaves an organisation alone that has groups: they may have changed since an earlier seed. */
async function seedGroups(
  ctx: AuthContext,
  groups: NonNullable<Organisation['groups']>,
  findSeeded: (email: string) => PersonRecord,
): Promise<void> {
  if ((await ctx.groups.list({ limit: 1 })).rows.length > 0) return
  const idsOf = (emails: readonly string[]) => emails.map(email => findSeeded(email).id)
  for (const { name, members, assigners } of groups) {
    const source: GroupSource =
      'manager' in members ? { kind: 'manager', manager_id: findSeeded(members.manager).id } : { kind: 'manual' }
    const group = await createGroup(ctx, { name, source, assigners: idsOf(assigners), by: null })
    if (!('manager' in members)) await addMembers(ctx, { groupId: group.id, personIds: idsOf(members), by: null })
  }
}

async function seedAdmin(ctx: AuthContext, admin: NonNullable<Organisation['admin']>) {
  if (await ctx.firstAdmin.exists()) return
  try {
    await createAdmin(ctx, { ...admin, email: emailRule.parse(admin.email) })
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'admin_exists')) throw error
  }
}
