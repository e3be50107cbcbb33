import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import type { AuthContext } from '../context.ts'
import type { ClaimValues } from '../rules/claim-rules.ts'
import type { PersonRecord } from '../store/person-model.ts'
import { type ApplyClaimRulesDeps, applyClaimRules } from './apply-claim-rules.ts'
import { clearSessionState, endSessionsOf } from './end-session.ts'
import { type RevokeAdminRoleDeps, revokeAdminRole } from './revoke-admin-role.ts'
import { revokeRoleRelations } from './revoke-role-relations.ts'

type Deps = RevokeAdminRoleDeps & ApplyClaimRulesDeps & Pick<AuthContext, 'outbox' | 'live' | 'log'>

interface SignedInPerson {
  person: PersonRecord
  isAdministrator: boolean
  /** The claims for the rules, which apply to everybody but administrators. */
  ruleClaims: ClaimValues[]
}

/**
 * Gives a person who signs in through the provider the role of an administrator, or takes it away,
 * as the claim of this sign-in says. Either ends the person's earlier sessions: they began without
 * the sign-in that gives the rights. The last administrator keeps the role.
 */
export async function applyAdminClaim(
  deps: Deps,
  { person, isAdministrator, ruleClaims }: SignedInPerson,
): Promise<PersonRecord> {
  if (person.deactivatedAt || isAdministrator === (person.role === 'admin')) return person
  return isAdministrator ? grantRole(deps, person.id) : revokeRole(deps, person.id, ruleClaims)
}

async function grantRole(deps: Deps, id: string): Promise<PersonRecord> {
  const { person: granted, ended } = await deps.outbox.transaction(async tx => {
    const person = (await deps.people.byId(id, tx.session))!
    // Another sign-in of the same person was faster.
    if (person.role === 'admin' || person.deactivatedAt) return { person, ended: [] }
    await deps.firstAdmin.lock(id, tx.session)
    const changed = await deps.people.change(
      person,
      { role: 'admin', supervisorId: null, managerId: null, teamSize: 0 },
      tx.session,
    )
    tx.publish('user.role_changed', id, {
      person: toPersonSnapshot(changed),
      by: null,
      previous_role: person.role,
    })
    tx.publish('administrators.changed', 'administrators', { change: 'joined', person_id: id, by: null })
    const revoked = await revokeRoleRelations(deps, { person, changed, by: null, tx })
    const sessions = await endSessionsOf(deps, tx, id)
    const endedSessions = sessions.length > 0 && { ended_sessions: sessions.length }
    await deps.audit.add(
      {
        at: deps.clock.now(),
        action: 'admin_granted',
        by: null,
        subject: person,
        before: { role: person.role, ...revoked.before },
        after: { role: 'admin', ...revoked.after, ...endedSessions },
      },
      tx.session,
    )
    return { person: changed, ended: sessions }
  })
  await Promise.all(ended.map(session => clearSessionState(deps, session)))
  return granted
}

async function revokeRole(deps: Deps, id: string, claims: ClaimValues[]): Promise<PersonRecord> {
  const { person, ended } = await deps.outbox.transaction(async tx => {
    const admin = (await deps.people.byId(id, tx.session))!
    const revoked = admin.role === 'admin' ? await revokeAdminRole(deps, { admin, by: null, tx }) : undefined
    if (!revoked) return { person: admin, ended: [] }
    return { ...revoked, person: await applyClaimRules(deps, { person: revoked.person, claims, tx }) }
  })
  await Promise.all(ended.map(session => clearSessionState(deps, session)))
  return person
}
