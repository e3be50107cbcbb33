import { peopleConsumers } from '@watchline/identity/people-consumers'
import type { Consumer } from '@watchline/kit/messaging/consumer'
import type { PlaybackContext } from '../context.ts'
import { onGroupChanged } from './on-group-changed.ts'
import { onGroupDeleted } from './on-group-deleted.ts'
import { onGroupMembersChanged } from './on-group-members-changed.ts'
import { onPersonTimeZoneChanged } from './on-person-time-zone-changed.ts'
import { onPlaylistCompleted } from './on-playlist-completed.ts'
import { onSessionRevoked } from './on-session-revoked.ts'
import { onUserDeactivated } from './on-user-deactivated.ts'
import { onUserDeleted } from './on-user-deleted.ts'
import { onUserReactivated } from './on-user-reactivated.ts'
import { onUserRoleChanged } from './on-user-role-changed.ts'

/** All events that this service consumes. */
export const consumers: readonly Consumer<PlaybackContext>[] = [
  ...peopleConsumers,
  onSessionRevoked,
  onPlaylistCompleted,
  onGroupChanged,
  onGroupMembersChanged,
  onGroupDeleted,
  onPersonTimeZoneChanged,
  onUserDeactivated,
  onUserReactivated,
  onUserRoleChanged,
  onUserDeleted,
]
