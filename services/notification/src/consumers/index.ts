import { peopleConsumers } from '@watchline/identity/people-consumers'
import type { Consumer } from '@watchline/kit/messaging/consumer'
import type { NotificationContext } from '../context.ts'
import { onAdministratorsChanged } from './on-administrators-changed.ts'
import { onAssignmentDueChanged } from './on-assignment-due-changed.ts'
import { onAssignmentOverridden } from './on-assignment-overridden.ts'
import { onAssignmentRecurred } from './on-assignment-recurred.ts'
import { onCommentAdded } from './on-comment-added.ts'
import { onCommentDeleted } from './on-comment-deleted.ts'
import { onCommentEdited } from './on-comment-edited.ts'
import { onIntegrityNoted } from './on-integrity-noted.ts'
import { onPlaylistAssigned } from './on-playlist-assigned.ts'
import { onPlaylistCompleted } from './on-playlist-completed.ts'
import { onPlaylistShared } from './on-playlist-shared.ts'
import { onPlaylistUnassigned } from './on-playlist-unassigned.ts'
import { onReportDue } from './on-report-due.ts'
import { onSessionTokenReused } from './on-session-token-reused.ts'
import { onSupervisorRequestCreated } from './on-supervisor-request-created.ts'
import { onSupervisorRequestReviewed } from './on-supervisor-request-reviewed.ts'
import { onTaskDue } from './on-task-due.ts'
import { onTaskEscalated } from './on-task-escalated.ts'
import { onTaskReminded } from './on-task-reminded.ts'
import { onTaskUncompletable } from './on-task-uncompletable.ts'
import { onUserManagerChanged } from './on-user-manager-changed.ts'
import { onUserSupervisorChanged } from './on-user-supervisor-changed.ts'
import { onVideoCompleted } from './on-video-completed.ts'
import { onVideoUnavailable } from './on-video-unavailable.ts'

/** The message entry points. The projection of people comes first: later consumers read it. */
export const consumers: readonly Consumer<NotificationContext>[] = [
  ...peopleConsumers,
  onUserSupervisorChanged,
  onUserManagerChanged,
  onCommentAdded,
  onCommentEdited,
  onCommentDeleted,
  onVideoCompleted,
  onPlaylistCompleted,
  onIntegrityNoted,
  onPlaylistAssigned,
  onPlaylistUnassigned,
  onAssignmentDueChanged,
  onAssignmentOverridden,
  onAssignmentRecurred,
  onTaskReminded,
  onTaskDue,
  onTaskEscalated,
  onTaskUncompletable,
  onReportDue,
  onPlaylistShared,
  onVideoUnavailable,
  onSupervisorRequestCreated,
  onSupervisorRequestReviewed,
  onSessionTokenReused,
  onAdministratorsChanged,
]
