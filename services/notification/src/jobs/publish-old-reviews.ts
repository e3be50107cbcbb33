import type { Clock } from '@watchline/kit/core/clock'
import { createRepeatedJob, type RepeatedJob } from '@watchline/kit/core/repeat'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { Logger } from '@watchline/kit/observability/log'
import type { NotificationStore } from '../store/notifications.ts'

export interface OldReviewDeps {
  clock: Clock
  log: Logger
  outbox: Outbox
  notifications: NotificationStore
}

const reviewsPerTransaction = 100
const pauseMs = 1_000

/**
 * Publishes the reviews of earlier versions again, each once: engagement did not consume them, so
 * a comment rejected at that time is still visible to everybody. Ends when none is left.
 */
export function createOldReviewPublisher({ clock, log, outbox, notifications }: OldReviewDeps): RepeatedJob {
  async function publishBatch(): Promise<void> {
    const reviewed = await notifications.findUndatedReviews(reviewsPerTransaction)
    await outbox.transaction(async tx => {
      for (const notification of reviewed) {
        const { id, recipientId, group, approval, answerText = '', commentId, commentRevision = 1 } = notification
        const reviewedAt = (await notifications.findReviewTime(notification, tx.session)) ?? new Date(clock.now())
        const isFirst = await notifications.dateReview(id, reviewedAt, tx.session)
        if (!isFirst || recipientId === null || commentId === undefined) continue
        tx.publish('notification.reviewed', id, {
          notification_id: id,
          by: recipientId,
          approved: approval === 'approved',
          words: answerText,
          comment_id: commentId,
          comment_revision: commentRevision,
          person_id: group.people[0]!.id,
          reviewed_at: reviewedAt.toISOString(),
        })
      }
    })
    if (reviewed.length < reviewsPerTransaction) void job.stop()
  }

  const job = createRepeatedJob(publishBatch, {
    pauseMs,
    jitter: true,
    onError: error => log.warn({ err: error }, 'publishing old reviews failed, retrying'),
  })
  return job
}
