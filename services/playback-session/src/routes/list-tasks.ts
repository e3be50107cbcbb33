import { listTasks as operation } from '@watchline/contracts/assignments'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { presentFor } from '../actions/find-assignable.ts'
import type { PlaybackContext } from '../context.ts'

/** A supervisor under a manager sees what the manager shared with them, any other what they made themselves. */
export const listTasks = defineRoute(operation, async ({ query, person }, ctx: PlaybackContext) => {
  const owner = person.managerId ? { sharedWith: person.id, by: person.managerId } : { createdBy: person.id }
  const page = await ctx.playlists.page(owner, { limit: query.limit, after: readCursor(query.cursor, timeCursor) })
  return new Reply(await presentFor(ctx, person, page.items), { headers: pageHeaders(page) })
})
