import { createCallerIdentification } from '@watchline/identity/caller'
import { createPeople } from '@watchline/identity/people'
import { createPeopleGroups } from '@watchline/identity/people-groups'
import { createCalendar } from '@watchline/kit/core/calendar'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import type { EngagementConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { EngagementContext } from './context.ts'
import { createProjections } from './projections.ts'
import { routes } from './routes/index.ts'
import { settleChanged } from './settling.ts'
import { createCommentStore } from './store/comments.ts'
import { createCompletionDays } from './store/completion-days.ts'
import { createRawReports } from './store/raw-reports.ts'
import { createWatcherStore } from './store/watchers.ts'
import { createTracking, type TrackingLimits } from './tracking.ts'

/** The engagement service, wired. `limits` bound the group commit of reports. */
export function createEngagementService(config: EngagementConfig, ports: Ports, limits: TrackingLimits = {}): Service {
  const host = createServiceHost('engagement', config, ports)
  const { connection, clock, live, log, metrics, outbox } = host
  const people = createPeople(host)
  const playback = createInternalClient({
    url: config.playbackUrl,
    secret: config.internalSecret,
    tracer: host.tracer,
  })
  const projections = createProjections({ connection, playback, clock, log })
  const groups = createPeopleGroups(people, { connection, log })
  const rawReports = createRawReports(connection, log)
  const parts = {
    clock,
    outbox,
    projections,
    watchers: createWatcherStore(connection),
    completionDays: createCompletionDays(connection),
    calendar: createCalendar(config.timeZone),
    rules: { maxPlaybackRate: config.maxPlaybackRate },
  }
  const tracking = createTracking(parts, metrics, limits)
  const ctx: EngagementContext = {
    ...parts,
    live,
    people,
    groups,
    rawReports,
    tracking,
    comments: createCommentStore(connection),
  }
  projections.onRebuilt(playlistId => settleChanged(ctx, playlistId))
  return buildService(host, {
    ctx,
    routes,
    consumers,
    identify: createCallerIdentification(host, people),
    lifecycles: [people, projections, groups, rawReports, tracking],
  })
}
