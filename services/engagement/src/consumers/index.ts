import { peopleConsumers } from '@watchline/identity/people-consumers'
import type { Consumer } from '@watchline/kit/messaging/consumer'
import type { EngagementContext } from '../context.ts'
import { onAssignmentDueChanged } from './on-assignment-due-changed.ts'
import { onAssignmentOverridden } from './on-assignment-overridden.ts'
import { onAssignmentRecurred } from './on-assignment-recurred.ts'
import { onMonitoringStarted } from './on-monitoring-started.ts'
import { onMonitoringStopped } from './on-monitoring-stopped.ts'
import { onNotificationReviewed } from './on-notification-reviewed.ts'
import { onPlaylistAssigned } from './on-playlist-assigned.ts'
import { onPlaylistChanged } from './on-playlist-changed.ts'
import { onPlaylistCreated } from './on-playlist-created.ts'
import { onPlaylistDeleted } from './on-playlist-deleted.ts'
import { onPlaylistUnassigned } from './on-playlist-unassigned.ts'
import { onUserDeleted } from './on-user-deleted.ts'
import { onUserDetailsViewed } from './on-user-details-viewed.ts'
import { onUserExported } from './on-user-exported.ts'

/** All events that this service consumes. */
export const consumers: readonly Consumer<EngagementContext>[] = [
  ...peopleConsumers,
  onPlaylistCreated,
  onPlaylistChanged,
  onPlaylistDeleted,
  onPlaylistAssigned,
  onPlaylistUnassigned,
  onAssignmentDueChanged,
  onAssignmentOverridden,
  onAssignmentRecurred,
  onMonitoringStarted,
  onMonitoringStopped,
  onNotificationReviewed,
  onUserDeleted,
  onUserDetailsViewed,
  onUserExported,
]
