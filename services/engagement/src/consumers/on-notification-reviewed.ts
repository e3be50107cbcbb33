import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { EngagementContext } from '../context.ts'
import { commentsVersion } from '../rules/versions.ts'

/**
 * Stores the review with its comment. The first review of a comment stays. A comment is stored
 * before anybody can review it, so a review of an unknown one has nothing to change. A review of an
 * earlier revision is out of date: notification requests another one for the edited comment.
 */
export const onNotificationReviewed = defineConsumer(
  'notification.reviewed',
  async ({ event, tx }, ctx: EngagementContext) => {
    const { comment_id: commentId, by, approved, words, comment_revision: revision = 1, reviewed_at } = event.data
    if (commentId === undefined) return
    const comment = await ctx.comments.byId(commentId, tx.session)
    if (!comment || comment.deletedAt || comment.review || comment.revision !== revision) return
    const reviewer = await ctx.people.find(by, 0)
    const review = {
      personId: by,
      name: reviewer?.name ?? 'Somebody',
      role: reviewer?.role ?? ('supervisor' as const),
      at: new Date(reviewed_at ?? event.time),
      approved,
      text: words,
    }
    await ctx.comments.saveReview(comment.id, review, tx.session)
    tx.bumpVersions(commentsVersion(comment))
  },
)
