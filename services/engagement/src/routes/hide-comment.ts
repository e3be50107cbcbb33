import { hideComment as operation } from '@watchline/contracts/engagement'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { loadCommentViewer } from '../actions/load-comment-viewer.ts'
import { presentComments } from '../actions/present-comments.ts'
import type { EngagementContext } from '../context.ts'
import { canHide } from '../rules/comments.ts'
import { commentsVersion } from '../rules/versions.ts'

export const hideComment = defineRoute(operation, async ({ params, body, person }, ctx: EngagementContext) => {
  const viewer = await loadCommentViewer(ctx, person)
  const saved = await ctx.outbox.transaction(async tx => {
    const comment = await ctx.comments.byId(params.id, tx.session)
    if (!comment || comment.deletedAt || !canHide(viewer, comment)) fail('not_found')
    if (body.hidden === (comment.hidden !== null)) return comment
    const hidden = body.hidden
      ? { personId: person.id, name: person.name, role: person.role, at: new Date(ctx.clock.now()) }
      : null
    await ctx.comments.saveHidden(comment.id, hidden, tx.session)
    tx.bumpVersions(commentsVersion(comment))
    return { ...comment, hidden }
  })
  const [presented] = await presentComments(ctx, [saved], viewer)
  return { success: true as const, comment: presented! }
})
