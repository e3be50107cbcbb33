import type { Notification } from '@watchline/contracts/notification'

/** One trainee's comments on one video, newest first. */
export interface PendingGroup {
  key: string
  name: string
  videoTitle: string
  comments: Notification[]
}

export interface OrderedNotifications {
  waiting: PendingGroup[]
  others: Notification[]
}

interface Lists {
  /** The loaded part of all notifications, newest first. */
  all: readonly Notification[]
  /** The loaded part of those that wait for an answer. */
  waiting: readonly Notification[]
  /**
   * Comments answered since the menu opened, or whose answer is on its way, as they were then. They
   * keep their place.
   */
  kept: readonly Notification[]
}

/**
 * Groups the pending comments by trainee and video, and lists all other notifications. Every
 * notification appears once, in its latest version.
 */
export function orderNotifications({ all, waiting, kept }: Lists): OrderedNotifications {
  const keptIds = new Set(kept.map(notification => notification.id))
  const latestById = new Map<string, Notification>()
  for (const notification of [...waiting, ...kept, ...all]) {
    const listed = latestById.get(notification.id)
    // Answers are final, so a version with an answer is the later one.
    if (!listed || listed.is_approved === null || notification.is_approved !== null)
      latestById.set(notification.id, notification)
  }
  const notifications = [...latestById.values()].sort(newestFirst)
  const isOnTop = (notification: Notification) => notification.is_approved === null || keptIds.has(notification.id)
  const listedIds = new Set(all.map(notification => notification.id))
  return {
    waiting: groupComments(notifications.filter(isOnTop)),
    others: notifications.filter(notification => !isOnTop(notification) && listedIds.has(notification.id)),
  }
}

/** The server's order. */
function newestFirst(first: Notification, second: Notification): number {
  if (first.updated_at !== second.updated_at) return first.updated_at < second.updated_at ? 1 : -1
  return first.id < second.id ? 1 : -1
}

function groupComments(comments: readonly Notification[]): PendingGroup[] {
  const groups = new Map<string, PendingGroup>()
  for (const comment of comments) {
    const key = JSON.stringify([comment.user_id, comment.playlist_id, comment.video_id])
    const group = groups.get(key)
    if (group) group.comments.push(comment)
    else
      groups.set(key, {
        key,
        name: comment.user_name ?? 'Somebody',
        videoTitle: comment.video_title ?? 'a video',
        comments: [comment],
      })
  }
  return [...groups.values()]
}
