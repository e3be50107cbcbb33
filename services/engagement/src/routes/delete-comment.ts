import { deleteComment as operation } from '@watchline/contracts/engagement'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { EngagementContext } from '../context.ts'
import { commentsVersion } from '../rules/versions.ts'

/** A comment that is deleted already stays deleted: the repeated call succeeds. */
export const deleteComment = defineRoute(operation, async ({ params, person }, ctx: EngagementContext) => {
  await ctx.outbox.transaction(async tx => {
    const comment = await ctx.comments.byId(params.id, tx.session)
    if (comment?.personId !== person.id) fail('not_found')
    if (comment.deletedAt) return
    const deletedAt = new Date(ctx.clock.now())
    await ctx.comments.markDeleted(comment.id, deletedAt, tx.session)
    if (comment.parentId !== null) await ctx.comments.countReply(comment.parentId, -1, tx.session)
    tx.bumpVersions(commentsVersion(comment))
    tx.publish('comment.deleted', comment.id, {
      comment_id: comment.id,
      person_id: comment.personId,
      revision: comment.revision,
      deleted_at: deletedAt.toISOString(),
    })
  })
  return { success: true as const }
})
