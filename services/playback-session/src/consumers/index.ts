import { peopleConsumers } from '@watchline/identity/people-consumers'
import type { Consumer } from '@watchline/kit/messaging/consumer'
import type { PlaybackContext } from '../context.ts'
import { onPlaylistCompleted } from './on-playlist-completed.ts'
import { onSessionRevoked } from './on-session-revoked.ts'

/** All events that this service consumes. */
export const consumers: readonly Consumer<PlaybackContext>[] = [
  ...peopleConsumers,
  onSessionRevoked,
  onPlaylistCompleted,
]
