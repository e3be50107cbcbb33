import { limits } from '@watchline/contracts/limits'
import { createCallerIdentification } from '@watchline/identity/caller'
import { createErasureJobs } from '@watchline/identity/erasure-jobs'
import { createPeople } from '@watchline/identity/people'
import { createPeopleGroups } from '@watchline/identity/people-groups'
import { createCalendar } from '@watchline/kit/core/calendar'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { createComputedCache } from '@watchline/kit/mongo/computed-cache'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import { createReportCommit, type ReportCommitLimits } from './actions/commit-reports.ts'
import { eraseRecords } from './actions/erase-records.ts'
import { recalculateShrunkPlaylist } from './actions/recalculate-completion.ts'
import { summariseEverybody } from './actions/summarise-scope.ts'
import type { EngagementConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { EngagementContext } from './context.ts'
import { internalRoutes, routes } from './routes/index.ts'
import { createCommentStore } from './store/comments.ts'
import { createDetailViews } from './store/detail-views.ts'
import { createEngagementData } from './store/engagement-data.ts'
import { createProjections } from './store/projections.ts'
import { createRawReports } from './store/raw-reports.ts'
import { createWatcherStore } from './store/watchers.ts'

/** The wiring of the engagement service. */
export function createEngagementService(
  config: EngagementConfig,
  ports: Ports,
  reportCommitLimits: ReportCommitLimits = {},
): Service {
  const host = createServiceHost('engagement', config, ports)
  const { connection, clock, live, log, metrics, outbox } = host
  const people = createPeople(host)
  const playback = createInternalClient({
    url: config.playbackUrl,
    credentials: host.credentials,
    tracer: host.tracer,
  })
  const projections = createProjections({ connection, playback, clock, log })
  const groups = createPeopleGroups(people, { connection, log })
  const rawReports = createRawReports(connection, log, config.retentionReportsS)
  const commitDeps = {
    clock,
    outbox,
    projections,
    watchers: createWatcherStore(connection),
    creditingRules: { maxPlaybackRate: config.maxPlaybackRate },
  }
  const reportCommit = createReportCommit(commitDeps, metrics, reportCommitLimits)
  const figuresDeps = { ...commitDeps, people, groups, calendar: createCalendar(config.timeZone) }
  const comments = createCommentStore(connection, config.retentionCommentsS)
  const detailViews = createDetailViews(connection, config.retentionViewsS)
  const erasureJobs = createErasureJobs(host, ({ personId }) =>
    eraseRecords({ ...commitDeps, comments, rawReports, detailViews }, personId),
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
    engagementData: createEngagementData(connection),
    everybodyFigures: createComputedCache({
      name: 'team figures',
      clock,
      log,
      compute: () => summariseEverybody(figuresDeps),
      freshMs: limits.teamPollMs,
      staleMs: limits.figuresMaxAgeMs,
    }),
  }
  projections.onRebuilt(playlistId => recalculateShrunkPlaylist(ctx, playlistId))
  return buildService(host, {
    ctx,
    routes,
    consumers,
    identify: createCallerIdentification(host, people),
    lifecycles: [people, projections, groups, rawReports, reportCommit, erasureJobs],
    internalRoutes,
  })
}
