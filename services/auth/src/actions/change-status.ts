import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { PersonRecord } from '../store/person-model.ts'
import type { Session } from '../store/sessions.ts'
import { clearSessionState, type EndSessionDeps, endSessionsOf } from './end-session.ts'
import { revokeRoleRelations } from './revoke-role-relations.ts'

type Deps = EndSessionDeps & Pick<AuthContext, 'outbox' | 'people' | 'teams' | 'requests' | 'audit' | 'live' | 'log'>

interface StatusChange {
  id: string
  by: Actor
}

/**
 * Ends a person's account in one transaction: their login sessions, their seat in a team, their
 * own team and pending requests. The role, credit and texts of the person stay. A deactivated
 * person is not changed.
 */
export async function deactivate(deps: Deps, { id, by }: StatusChange): Promise<PersonRecord> {
  const { person, ended } = await deps.outbox.transaction(async tx => {
    const found = await findChangeable(deps, id, tx)
    if (found.deactivatedAt) return { person: found, ended: [] as Session[] }
    const at = deps.clock.now()
    const changed = await deps.people.change(
      found,
      { deactivatedAt: new Date(at).toISOString(), supervisorId: null, managerId: null, teamSize: 0 },
      tx.session,
    )
    tx.publish('user.deactivated', id, {
      person: toPersonSnapshot(changed),
      by: by.id,
      previous_supervisor_id: found.supervisorId,
      previous_manager_id: found.managerId,
    })
    const revoked = await revokeRoleRelations(deps, { person: found, changed, by: by.id, tx })
    const sessions = await endSessionsOf(deps, tx, id)
    const endedSessions = sessions.length > 0 && { ended_sessions: sessions.length }
    await deps.audit.add(
      {
        at,
        action: 'deactivated',
        by,
        subject: found,
        before: revoked.before,
        after: { ...revoked.after, ...endedSessions },
      },
      tx.session,
    )
    return { person: changed, ended: sessions }
  })
  await Promise.all(ended.map(session => clearSessionState(deps, session)))
  return person
}

/**
 * Lets a deactivated person sign in again, with their role and in no team. Fails with `conflict`
 * for a removed administrator whom only another invitation gives a way to sign in.
 */
export function reactivate(deps: Deps, { id, by }: StatusChange): Promise<PersonRecord> {
  return deps.outbox.transaction(async tx => {
    const person = await findChangeable(deps, id, tx)
    if (!person.deactivatedAt) return person
    if (!person.invited && !(await deps.people.hasIdentity(id, tx.session)))
      fail('conflict', {
        detail:
          'This person was an administrator and has no account at the sign-in provider. Invite them again under Settings, Administrators.',
      })
    const changed = await deps.people.change(person, { deactivatedAt: null }, tx.session)
    tx.publish('user.reactivated', id, { person: toPersonSnapshot(changed), by: by.id })
    await deps.audit.add(
      { at: deps.clock.now(), action: 'reactivated', by, subject: person, before: {}, after: {} },
      tx.session,
    )
    return changed
  })
}

async function findChangeable({ people }: Pick<Deps, 'people'>, id: string, tx: Transaction): Promise<PersonRecord> {
  const person = await people.byId(id, tx.session)
  if (!person) fail('not_found')
  if (person.role === 'admin') fail('conflict', { detail: 'An administrator cannot be deactivated.' })
  return person
}
