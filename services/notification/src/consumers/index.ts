import { peopleConsumers } from '@watchline/identity/people'
import type { Consumer } from '@watchline/kit/messaging/consumer'
import type { NotificationContext } from '../context.ts'
import { onCommentAdded } from './on-comment-added.ts'
import { onPlaylistCompleted, onVideoCompleted } from './on-completed.ts'
import { onIntegrityNoted } from './on-integrity-noted.ts'
import { onPlaylistAssigned } from './on-playlist-assigned.ts'
import { onPlaylistShared } from './on-playlist-shared.ts'
import { onRequestReviewed } from './on-request-reviewed.ts'
import { onSupervisorChanged } from './on-supervisor-changed.ts'
import { onVideoUnavailable } from './on-video-unavailable.ts'

/** The message door. The projection of people comes first: what follows it goes by what it then says. */
export const consumers: readonly Consumer<NotificationContext>[] = [
  ...peopleConsumers,
  onSupervisorChanged,
  onCommentAdded,
  onVideoCompleted,
  onPlaylistCompleted,
  onIntegrityNoted,
  onPlaylistAssigned,
  onPlaylistShared,
  onVideoUnavailable,
  onRequestReviewed,
]
