import { addComment } from './add-comment.ts'
import { answerAttentionCheck } from './answer-attention-check.ts'
import { createSavedReport } from './create-saved-report.ts'
import { deleteComment } from './delete-comment.ts'
import { deleteSavedReport } from './delete-saved-report.ts'
import { downloadIssued } from './download-issued.ts'
import { editComment } from './edit-comment.ts'
import { exportEngagementData } from './export-engagement-data.ts'
import { exportOwnRecord } from './export-own-record.ts'
import { exportRecordChain } from './export-record-chain.ts'
import { exportReport } from './export-report.ts'
import { exportTeam } from './export-team.ts'
import { getAttentionCheck } from './get-attention-check.ts'
import { getCompletion } from './get-completion.ts'
import { getEngagementDashboard } from './get-engagement-dashboard.ts'
import { getGroupRecord } from './get-group-record.ts'
import { getMember } from './get-member.ts'
import { getOwnRecord } from './get-own-record.ts'
import { getRecord } from './get-record.ts'
import { getReport } from './get-report.ts'
import { getReportMail } from './get-report-mail.ts'
import { getSavedReport } from './get-saved-report.ts'
import { getTeam } from './get-team.ts'
import { getTeamAnalytics } from './get-team-analytics.ts'
import { getTeamDigest } from './get-team-digest.ts'
import { getTeamHistory } from './get-team-history.ts'
import { getWatched } from './get-watched.ts'
import { hideComment } from './hide-comment.ts'
import { issueCertificate } from './issue-certificate.ts'
import { issueGroupRecord } from './issue-group-record.ts'
import { issueRecord } from './issue-record.ts'
import { listComments } from './list-comments.ts'
import { listDetailViews } from './list-detail-views.ts'
import { listRecordKeys } from './list-record-keys.ts'
import { listSavedReports } from './list-saved-reports.ts'
import { listTasksAtRisk } from './list-tasks-at-risk.ts'
import { listTeams } from './list-teams.ts'
import { listWatchRecords } from './list-watch-records.ts'
import { sendSavedReport } from './send-saved-report.ts'
import { track } from './track.ts'
import { updateSavedReport } from './update-saved-report.ts'
import { verifyRecord } from './verify-record.ts'

/** All operations that this service serves. */
export const routes = [
  track,
  getAttentionCheck,
  answerAttentionCheck,
  getWatched,
  getTeam,
  listTasksAtRisk,
  listTeams,
  getMember,
  getOwnRecord,
  exportOwnRecord,
  exportEngagementData,
  listDetailViews,
  getRecord,
  getGroupRecord,
  issueRecord,
  issueGroupRecord,
  issueCertificate,
  downloadIssued,
  verifyRecord,
  listRecordKeys,
  exportRecordChain,
  getTeamHistory,
  exportTeam,
  getReport,
  exportReport,
  createSavedReport,
  listSavedReports,
  getSavedReport,
  updateSavedReport,
  deleteSavedReport,
  sendSavedReport,
  getEngagementDashboard,
  getTeamAnalytics,
  listComments,
  addComment,
  editComment,
  deleteComment,
  hideComment,
]

/** The operations that other services call. */
export const internalRoutes = [listWatchRecords, getCompletion, getTeamDigest, getReportMail]
