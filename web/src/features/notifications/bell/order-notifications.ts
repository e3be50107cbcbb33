import type { Notification } from '@watchline/contracts/notification'

/** What one trainee wrote on one video, newest first. */
export interface PendingGroup {
  key: string
  name: string
  videoTitle: string
  comments: Notification[]
}

export interface OrderedNotifications {
  waiting: PendingGroup[]
  rest: Notification[]
}

interface Lists {
  /** Of all, newest first. */
  all: readonly Notification[]
  /** Of what waits. */
  waiting: readonly Notification[]
  /** Answered since the menu was opened: they stay where they were. The copies are of when they were answered. */
  held: readonly Notification[]
}

/** What waits for an answer, by trainee and video, then the rest, each once and as known latest. */
export function orderNotifications({ all, waiting, held }: Lists): OrderedNotifications {
  const stays = new Set(held.map(each => each.id))
  const known = new Map<string, Notification>()
  for (const each of [...waiting, ...held, ...all]) {
    const before = known.get(each.id)
    // An answer is never taken back: of two copies the one with an answer is the later one.
    if (!before || before.is_approved === null || each.is_approved !== null) known.set(each.id, each)
  }
  const each = [...known.values()].sort(newestFirst)
  const inFront = (one: Notification) => one.is_approved === null || stays.has(one.id)
  const listed = new Set(all.map(one => one.id))
  return { waiting: grouped(each.filter(inFront)), rest: each.filter(one => !inFront(one) && listed.has(one.id)) }
}

/** As the server orders them. */
function newestFirst(one: Notification, other: Notification): number {
  if (one.updated_at !== other.updated_at) return one.updated_at < other.updated_at ? 1 : -1
  return one.id < other.id ? 1 : -1
}

function grouped(comments: readonly Notification[]): PendingGroup[] {
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
