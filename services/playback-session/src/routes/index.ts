import { assignPlaylist } from './assign-playlist.ts'
import { createPlaylist } from './create-playlist.ts'
import { getSessionStatus } from './get-session-status.ts'
import { getToday } from './get-today.ts'
import { heartbeat } from './heartbeat.ts'
import { listAssignments } from './list-assignments.ts'
import { listOnline } from './list-online.ts'
import { listPlaylists } from './list-playlists.ts'
import { listTasks } from './list-tasks.ts'
import { saveProgress } from './save-progress.ts'
import { setMonitoring } from './set-monitoring.ts'
import { unassignPlaylist } from './unassign-playlist.ts'

/** The table of contents of this service's HTTP door. */
export const routes = [
  createPlaylist,
  listPlaylists,
  listTasks,
  assignPlaylist,
  unassignPlaylist,
  getToday,
  listAssignments,
  getSessionStatus,
  setMonitoring,
  saveProgress,
  heartbeat,
  listOnline,
]
