import type { Consumer } from '@watchline/kit/consumer'
import { peopleConsumers } from '@watchline/kit/people'
import type { EngagementContext } from '../context.ts'
import { onMonitoringStarted, onMonitoringStopped } from './on-monitoring.ts'
import { onPlaylistAssigned } from './on-playlist-assigned.ts'
import { onPlaylistCreated } from './on-playlist-created.ts'
import { onPlaylistUnassigned } from './on-playlist-unassigned.ts'

/** The table of contents of this service's message door. */
export const consumers: readonly Consumer<EngagementContext>[] = [
  ...peopleConsumers,
  onPlaylistCreated,
  onPlaylistAssigned,
  onPlaylistUnassigned,
  onMonitoringStarted,
  onMonitoringStopped,
]
