import { seesEverything } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { managedKey, teamKey, topManagementKey } from '@watchline/identity/teams'
import type { EngagementContext } from '../context.ts'
import type { CommentViewer } from '../rules/comments.ts'
import { findScope } from './find-scope.ts'

type ViewerContext = Pick<EngagementContext, 'teams' | 'people'>

/** Loads the person as a viewer, with the authors whose comments they may read and hide. */
export async function loadCommentViewer(ctx: ViewerContext, person: Person): Promise<CommentViewer> {
  const [readableAuthors, scope] = await Promise.all([findReadableAuthors(ctx, person), findScope(ctx, person)])
  return { personId: person.id, readableAuthors, moderatedAuthors: scope?.map(({ id }) => id) }
}

/**
 * Ids of the caller's own people and of everybody above them. Undefined if the caller sees
 * everybody.
 */
async function findReadableAuthors({ teams, people }: ViewerContext, person: Person): Promise<string[] | undefined> {
  if (seesEverything(person)) return undefined
  const supervisorId = person.role === 'supervisor' ? person.id : person.role === 'user' ? person.supervisorId : null
  const supervisor = person.role === 'supervisor' ? person : supervisorId ? await people.get(supervisorId) : undefined
  const [team, managed, topManagement] = await Promise.all([
    supervisorId ? teams.get(teamKey(supervisorId)) : undefined,
    person.role === 'manager' ? teams.get(managedKey(person.id)) : undefined,
    teams.get(topManagementKey),
  ])
  const ids = [
    person.id,
    ...[...(team ?? []), ...(managed ?? []), ...(topManagement ?? [])].map(({ id }) => id),
    ...(supervisorId ? [supervisorId] : []),
    ...(supervisor?.managerId ? [supervisor.managerId] : []),
  ]
  return [...new Set(ids)]
}
