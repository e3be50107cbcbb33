import { fail } from '@watchline/kit/core/errors'
import type { ClientSession } from 'mongoose'
import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { PersonRecord } from '../store/person-model.ts'
import { clearSessionState, type EndSessionDeps, endSessionsOf } from './end-session.ts'
import { revokeRoleRelations } from './revoke-role-relations.ts'

type Deps = EndSessionDeps &
  Pick<
    AuthContext,
    | 'outbox'
    | 'people'
    | 'teams'
    | 'requests'
    | 'signInClaims'
    | 'signInCodes'
    | 'audit'
    | 'live'
    | 'log'
    | 'personRecords'
  >

/**
 * Deletes a person who was created by mistake: only while nothing is recorded of them. Other
 * services refuse them within a second. Until then somebody could still assign them a playlist,
 * which would then be assigned to nobody.
 */
export async function deletePerson(deps: Deps, { id, by }: { id: string; by: Actor }): Promise<void> {
  await requireNoRecords(deps, id)
  const ended = await deps.outbox.transaction(async tx => {
    const person = await findDeletable(deps, id, tx.session)
    const changed = {
      ...person,
      supervisorId: null,
      supervisorSince: null,
      managerId: null,
      version: person.version + 1,
    }
    const revoked = await revokeRoleRelations(deps, { person, changed, by: by.id, tx })
    const sessions = await endSessionsOf(deps, tx, id)
    await deps.people.remove(person, tx.session)
    await deps.signInClaims.remove(id, tx.session)
    await deps.signInCodes.removeOf(id, tx.session)
    tx.publish('user.deleted', id, {
      person_id: id,
      by: by.id,
      previous_supervisor_id: person.supervisorId,
      previous_manager_id: person.managerId,
    })
    const endedSessions = sessions.length > 0 && { ended_sessions: sessions.length }
    await deps.audit.add(
      {
        at: deps.clock.now(),
        action: 'deleted',
        by,
        subject: person,
        before: { role: person.role, ...revoked.before },
        after: { ...revoked.after, ...endedSessions },
      },
      tx.session,
    )
    return sessions
  })
  await Promise.all(ended.map(session => clearSessionState(deps, session)))
}

async function requireNoRecords(deps: Deps, id: string): Promise<void> {
  await findDeletable(deps, id)
  const [records, hasReviewed] = await Promise.all([deps.personRecords.list(id), deps.requests.hasReviewed(id)])
  const kinds = hasReviewed ? [...records, 'requests'] : records
  if (kinds.length === 0) return
  fail('conflict', {
    detail: `This person cannot be deleted: there are records of them (${kinds.join(', ')}). Deactivate them instead.`,
  })
}

async function findDeletable({ people }: Deps, id: string, session?: ClientSession): Promise<PersonRecord> {
  const person = await people.byId(id, session)
  if (!person) fail('not_found')
  if (person.role === 'admin') fail('conflict', { detail: 'An administrator cannot be deleted.' })
  return person
}
