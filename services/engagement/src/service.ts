import { limits } from '@watchline/contracts/limits'
import { createCallerIdentification } from '@watchline/identity/caller'
import { createErasureJobs } from '@watchline/identity/erasure-jobs'
import { createPeople } from '@watchline/identity/people'
import { createTeamCache } from '@watchline/identity/teams'
import { createCalendar } from '@watchline/kit/core/calendar'
import { createWakeup } from '@watchline/kit/core/repeat'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { createComputedCache } from '@watchline/kit/mongo/computed-cache'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import { createTaskReportCache } from './actions/cache-task-reports.ts'
import { createReportCommit, type ReportCommitLimits } from './actions/commit-reports.ts'
import { eraseRecords } from './actions/erase-records.ts'
import { makeEverybodyTaskReport } from './actions/make-task-report.ts'
import { recalculateShrunkPlaylist } from './actions/recalculate-completion.ts'
import { summariseEverybody } from './actions/summarise-scope.ts'
import { createGroupMembers } from './clients/group-members.ts'
import type { EngagementConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { EngagementContext } from './context.ts'
import {
  createDeletedPlaylistCleanup,
  endAssignmentsOfDeletedPlaylists,
} from './jobs/end-assignments-of-deleted-playlists.ts'
import { createCertificateIssuing } from './jobs/issue-certificates.ts'
import { createFiguresPreparation } from './jobs/prepare-figures.ts'
import { createDueReports, publishDueReports } from './jobs/publish-due-reports.ts'
import { internalRoutes, routes } from './routes/index.ts'
import { createCommentStore } from './store/comments.ts'
import { createDetailViews } from './store/detail-views.ts'
import { createEngagementData } from './store/engagement-data.ts'
import { createIssuedRecordStore } from './store/issued-records.ts'
import { createMonitoredSessionStore } from './store/monitored-sessions.ts'
import { createProjections } from './store/projections.ts'
import { createRawReports } from './store/raw-reports.ts'
import { createRecordKeys } from './store/record-keys.ts'
import { createSavedReportStore } from './store/saved-reports.ts'
import { createTaskFactStore } from './store/task-facts.ts'
import { createWatcherStore } from './store/watchers.ts'

export interface EngagementService extends Service {
  /** Publishes due saved reports, as a job does every minute. */
  publishDueReportsOnce(): Promise<void>
  /** Ends the assignments of deleted playlists. A job also calls it. */
  endAssignmentsOfDeletedPlaylistsOnce(): Promise<void>
}

/** The wiring of the engagement service. */
export function createEngagementService(
  config: EngagementConfig,
  ports: Ports,
  reportCommitLimits: ReportCommitLimits = {},
): EngagementService {
  const host = createServiceHost('engagement', config, ports)
  const { connection, clock, live, log, metrics, outbox } = host
  const people = createPeople(host)
  const playback = createInternalClient({
    url: config.playbackUrl,
    credentials: host.credentials,
    tracer: host.tracer,
  })
  const projections = createProjections({ connection, playback, clock, log })
  const teams = createTeamCache(people, { connection, log })
  const rawReports = createRawReports(connection, log, config.retentionReportsS)
  const certificateWakeup = createWakeup()
  const commitDeps = {
    clock,
    outbox,
    projections,
    watchers: createWatcherStore(connection),
    taskFacts: createTaskFactStore(connection),
    wakeCertificateIssuing: certificateWakeup.wake,
    creditingRules: { maxPlaybackRate: config.maxPlaybackRate },
  }
  const reportCommit = createReportCommit(commitDeps, metrics, reportCommitLimits)
  const groupMembers = createGroupMembers(host)
  const figuresDeps = { ...commitDeps, people, teams, groupMembers, calendar: createCalendar(config.timeZone) }
  const comments = createCommentStore(connection, config.retentionCommentsS)
  const detailViews = createDetailViews(connection, config.retentionViewsS)
  const monitoredSessions = createMonitoredSessionStore(connection, config.retentionSessionsS)
  const issuedRecords = createIssuedRecordStore(connection)
  const recordKeys = createRecordKeys(connection, config.recordPrivateKey)
  const savedReports = createSavedReportStore(connection)
  const recordStores = { monitoredSessions, issuedRecords, savedReports }
  const erasureJobs = createErasureJobs(host, ({ personId }) =>
    eraseRecords({ ...commitDeps, ...recordStores, comments, rawReports, detailViews }, personId),
  )
  const ctx: EngagementContext = {
    ...figuresDeps,
    live,
    rateLimiter: host.rateLimiter,
    rawReports,
    reportCommit,
    comments,
    erasureJobs,
    detailViews,
    ...recordStores,
    recordKeys,
    publicUrl: config.publicUrl,
    engagementData: createEngagementData(connection),
    everybodyFigures: createComputedCache({
      name: 'team figures',
      clock,
      log,
      compute: () => summariseEverybody(figuresDeps),
      maxAgeMs: limits.teamPollMs,
      staleMs: limits.figuresMaxAgeMs,
      busyShare: 0.2,
    }),
    everybodyTaskReports: createTaskReportCache({
      clock,
      log,
      makeTaskReport: query => makeEverybodyTaskReport(figuresDeps, query),
      maxAgeMs: limits.teamPollMs,
      staleMs: limits.figuresMaxAgeMs,
    }),
  }
  const recordPreparation = {
    start: async () => {
      await issuedRecords.prepare()
      await recordKeys.publish(new Date(clock.now()))
    },
    stop: () => {},
  }
  projections.onRebuilt(playlistId => recalculateShrunkPlaylist(ctx, playlistId))
  const service = buildService(host, {
    ctx,
    routes,
    consumers,
    identify: createCallerIdentification(host, people),
    lifecycles: [
      ...[people, projections, teams, rawReports, reportCommit, recordPreparation, erasureJobs],
      createCertificateIssuing(ctx, certificateWakeup, log),
      createDueReports(ctx, log),
      createDeletedPlaylistCleanup(ctx, log),
      // Last, because the figures need the projections.
      createFiguresPreparation(ctx, log),
    ],
    internalRoutes,
  })
  return {
    ...service,
    publishDueReportsOnce: () => publishDueReports(ctx),
    endAssignmentsOfDeletedPlaylistsOnce: () => endAssignmentsOfDeletedPlaylists(ctx),
  }
}
