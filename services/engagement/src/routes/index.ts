import { addComment } from './add-comment.ts'
import { deleteComment } from './delete-comment.ts'
import { editComment } from './edit-comment.ts'
import { exportEngagementData } from './export-engagement-data.ts'
import { exportOwnRecord } from './export-own-record.ts'
import { exportTeam } from './export-team.ts'
import { getEngagementDashboard } from './get-engagement-dashboard.ts'
import { getMember } from './get-member.ts'
import { getOwnRecord } from './get-own-record.ts'
import { getTeam } from './get-team.ts'
import { getTeamAnalytics } from './get-team-analytics.ts'
import { getTeamHistory } from './get-team-history.ts'
import { getWatched } from './get-watched.ts'
import { hideComment } from './hide-comment.ts'
import { listComments } from './list-comments.ts'
import { listDetailViews } from './list-detail-views.ts'
import { listTeams } from './list-teams.ts'
import { listWatchRecords } from './list-watch-records.ts'
import { track } from './track.ts'

/** All operations that this service serves. */
export const routes = [
  track,
  getWatched,
  getTeam,
  listTeams,
  getMember,
  getOwnRecord,
  exportOwnRecord,
  exportEngagementData,
  listDetailViews,
  getTeamHistory,
  exportTeam,
  getEngagementDashboard,
  getTeamAnalytics,
  listComments,
  addComment,
  editComment,
  deleteComment,
  hideComment,
]

/** The operations that other services call. */
export const internalRoutes = [listWatchRecords]
