import type { Notification } from '@watchline/contracts/notification'

/** The cache tags that the notified change makes stale. */
export function staleTagsAt({ kind }: Pick<Notification, 'kind'>) {
  if (kind === 'task_assigned' || kind === 'task_reminded' || kind === 'due_date_changed' || kind === 'terms_changed')
    return ['Today'] as const
  if (
    kind === 'task_exempted' ||
    kind === 'task_marked_done' ||
    kind === 'override_taken_back' ||
    kind === 'task_reset' ||
    kind === 'task_recurred'
  )
    return ['Today', 'Engagement'] as const
  if (kind === 'task_escalated') return ['Engagement'] as const
  if (kind === 'playlist_shared' || kind === 'video_unavailable') return ['Playlists', 'Tasks'] as const
  if (kind === 'comment_reviewed' || kind === 'comment_replied') return ['Comments'] as const
  if (kind === 'manager_changed') return ['Playlists', 'Tasks'] as const
  if (kind === 'supervisor_requested') return ['SupervisorRequests'] as const
  if (kind === 'request_reviewed') return ['Team', 'SupervisorRequests'] as const
  return []
}

/** The address shows a monitored session, which a jump to another address would end. */
export function isSession(search: string): boolean {
  const params = new URLSearchParams(search)
  return params.has('session') || params.has('playlist_id')
}
