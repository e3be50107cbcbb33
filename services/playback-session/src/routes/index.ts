import { answerMonitoringNotice } from './answer-monitoring-notice.ts'
import { assignPlaylist } from './assign-playlist.ts'
import { assignToGroup } from './assign-to-group.ts'
import { countOwnSessions } from './count-own-sessions.ts'
import { createPlaylist } from './create-playlist.ts'
import { deletePlaylist } from './delete-playlist.ts'
import { dismissUnavailable } from './dismiss-unavailable.ts'
import { exportDueDates } from './export-due-dates.ts'
import { exportWatchingData } from './export-watching-data.ts'
import { getAssignmentSnapshot } from './get-assignment-snapshot.ts'
import { getConditionLimits } from './get-condition-limits.ts'
import { getDueCalendar } from './get-due-calendar.ts'
import { getMonitoringNotice } from './get-monitoring-notice.ts'
import { getPlaylist } from './get-playlist.ts'
import { getPlaylistSnapshot } from './get-playlist-snapshot.ts'
import { getSessionStatus } from './get-session-status.ts'
import { getToday } from './get-today.ts'
import { getVideoCover } from './get-video-cover.ts'
import { getVideoDataStatus } from './get-video-data-status.ts'
import { heartbeat } from './heartbeat.ts'
import { importPlaylist } from './import-playlist.ts'
import { listAssignees } from './list-assignees.ts'
import { listAssignmentSnapshots } from './list-assignment-snapshots.ts'
import { listAssignments } from './list-assignments.ts'
import { listGroupAssignments } from './list-group-assignments.ts'
import { listLockIntervals } from './list-lock-intervals.ts'
import { listOnline } from './list-online.ts'
import { listPlaybackRecords } from './list-playback-records.ts'
import { listPlaylistChoices } from './list-playlist-choices.ts'
import { listPlaylistSnapshots } from './list-playlist-snapshots.ts'
import { listPlaylists } from './list-playlists.ts'
import { listTasks } from './list-tasks.ts'
import { overrideTask } from './override-task.ts'
import { previewGroupAction } from './preview-group-action.ts'
import { previewImport } from './preview-import.ts'
import { previewMedia } from './preview-media.ts'
import { refreshPlaylist } from './refresh-playlist.ts'
import { remindGroup } from './remind-group.ts'
import { remindPeople } from './remind-people.ts'
import { reportUnavailable } from './report-unavailable.ts'
import { saveProgress } from './save-progress.ts'
import { setDueDate } from './set-due-date.ts'
import { setMonitoring } from './set-monitoring.ts'
import { sharePlaylist } from './share-playlist.ts'
import { sharePlaylistWith } from './share-playlist-with.ts'
import { unassignPlaylist } from './unassign-playlist.ts'
import { unsharePlaylist } from './unshare-playlist.ts'
import { updatePlaylist } from './update-playlist.ts'
import { withdrawFromGroup } from './withdraw-from-group.ts'

/** All public HTTP operations of this service. */
export const routes = [
  createPlaylist,
  updatePlaylist,
  deletePlaylist,
  sharePlaylistWith,
  unsharePlaylist,
  getVideoDataStatus,
  previewImport,
  importPlaylist,
  refreshPlaylist,
  sharePlaylist,
  previewMedia,
  getVideoCover,
  reportUnavailable,
  dismissUnavailable,
  listPlaylists,
  listPlaylistChoices,
  getPlaylist,
  listTasks,
  getConditionLimits,
  assignPlaylist,
  unassignPlaylist,
  setDueDate,
  overrideTask,
  getToday,
  remindPeople,
  listAssignees,
  listGroupAssignments,
  previewGroupAction,
  assignToGroup,
  withdrawFromGroup,
  remindGroup,
  listAssignments,
  exportDueDates,
  getSessionStatus,
  countOwnSessions,
  exportWatchingData,
  getMonitoringNotice,
  answerMonitoringNotice,
  setMonitoring,
  saveProgress,
  heartbeat,
  listOnline,
]

/** All operations that other services call. */
export const internalRoutes = [
  listPlaylistSnapshots,
  getPlaylistSnapshot,
  listAssignmentSnapshots,
  getAssignmentSnapshot,
  getDueCalendar,
  listLockIntervals,
  listPlaybackRecords,
]
