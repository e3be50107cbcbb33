import { listComments as operation } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import { managedKey, teamKey, topManagementKey } from '@watchline/identity/people-groups'
import { fail } from '@watchline/kit/core/errors'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import { requireWatchable } from '../actions/find-watchable.ts'
import type { EngagementContext } from '../context.ts'
import { findVideo } from '../rules/playlist.ts'
import { seesEverything } from '../rules/rights.ts'
import { commentsVersion, playlistVersion } from '../rules/versions.ts'
import { presentComment } from './presenters.ts'

const commentCursor = z
  .object({ timestamp: z.number(), createdAt: z.iso.datetime(), id: z.string().max(64) })
  .transform(({ timestamp, createdAt, id }) => ({ timestamp, createdAt: new Date(createdAt), id }))

export const listComments = defineRoute(
  operation,
  async ({ params, query, person }, ctx: EngagementContext) => {
    const after = readCursor(query.cursor, commentCursor)
    const playlist = await requireWatchable(ctx, person, params.playlistId)
    if (!findVideo(playlist, params.videoId)) fail('not_found')
    const authorIds = await findReadableAuthors(ctx, person)
    const { comments, total } = await ctx.comments.page(params, authorIds, { limit: query.limit, after })
    const page = comments.slice(0, query.limit)
    const authors = await Promise.all(page.map(comment => ctx.people.get(comment.personId)))
    const last = page.at(-1)
    const next =
      comments.length > page.length && last
        ? { timestamp: last.timestamp, createdAt: last.createdAt, id: last.id }
        : undefined
    return new Reply(
      page.map((comment, index) => presentComment(comment, authors[index])),
      { headers: pageHeaders({ total, next }) },
    )
  },
  {
    versions: {
      // Comments come from MongoDB and are as new as their version. The right to read them comes
      // from memory, which may lag behind its version for a moment. Then the answer may repeat.
      keys: ({ params }, { people }) => [
        commentsVersion(params),
        playlistVersion(params.playlistId),
        people.versionKey,
      ],
    },
  },
)

/**
 * Ids of the caller's own people and of everybody above them. Undefined if the caller sees
 * everybody.
 */
async function findReadableAuthors(
  { groups, people }: Pick<EngagementContext, 'groups' | 'people'>,
  person: Person,
): Promise<string[] | undefined> {
  if (seesEverything(person)) return undefined
  const supervisorId = person.role === 'supervisor' ? person.id : person.role === 'user' ? person.supervisorId : null
  const supervisor = person.role === 'supervisor' ? person : supervisorId ? await people.get(supervisorId) : undefined
  const [team, managed, topManagement] = await Promise.all([
    supervisorId ? groups.get(teamKey(supervisorId)) : undefined,
    person.role === 'manager' ? groups.get(managedKey(person.id)) : undefined,
    groups.get(topManagementKey),
  ])
  const ids = [
    person.id,
    ...[...(team ?? []), ...(managed ?? []), ...(topManagement ?? [])].map(({ id }) => id),
    ...(supervisorId ? [supervisorId] : []),
    ...(supervisor?.managerId ? [supervisor.managerId] : []),
  ]
  return [...new Set(ids)]
}
