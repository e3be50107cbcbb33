import { createCallerIdentification } from '@watchline/identity/caller'
import { createPeople } from '@watchline/identity/people'
import { createPeopleGroups } from '@watchline/identity/people-groups'
import { createCalendar } from '@watchline/kit/core/calendar'
import { createKeyedMutex } from '@watchline/kit/core/keyed-mutex'
import { createPresenceRecorder } from '@watchline/kit/live/presence-recorder'
import { createDocumentCache } from '@watchline/kit/mongo/document-cache'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import { createSaves, type SavingLimits } from './actions/save-position.ts'
import { type SeededPlaylist, seedPlaylists } from './actions/seed-playlists.ts'
import { createYoutubeClient, type VideoDataLimits } from './clients/youtube/client.ts'
import { createYoutubeReader } from './clients/youtube/reader.ts'
import type { PlaybackSessionConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { PlaybackContext } from './context.ts'
import { createPresenceWatcher } from './jobs/presence-watcher.ts'
import { createSweeper, sweepOnce } from './jobs/sweeper.ts'
import { internalRoutes, routes } from './routes/index.ts'
import type { Assignment } from './rules/assignment.ts'
import { createAssignmentStore } from './store/assignments.ts'
import { createMonitoringStore } from './store/monitoring.ts'
import { createOnlineBoard } from './store/online-people.ts'
import { createPlaylistStore, type Playlist } from './store/playlists.ts'
import { createProgressStore } from './store/progress.ts'
import { createUnavailableReportStore } from './store/unavailable-reports.ts'

export interface PlaybackSessionService extends Service {
  /** Ends the monitored sessions nobody ended; answers how many. It also happens by itself, now and then. */
  sweepOnce(): Promise<number>
  /** Tells who came online and whose presence ended; answers how many. It also happens by itself, all the time. */
  watchPresenceOnce(): Promise<number>
  /** Brings in playlists and their assignments; call it when the service has started. Harmless when they are there. */
  seed(playlists: readonly SeededPlaylist[]): Promise<void>
}

/** The playback-session service, wired. `saving` bounds the group commit of positions, `videoData` what is read from YouTube. */
export function createPlaybackSessionService(
  config: PlaybackSessionConfig,
  ports: Ports,
  saving: SavingLimits = {},
  videoData: VideoDataLimits = {},
): PlaybackSessionService {
  const host = createServiceHost('playback-session', config, ports)
  const { bus, connection, clock, live, log, metrics, outbox } = host
  const people = createPeople(host)
  const playlists = createPlaylistStore(connection)
  const assignments = createAssignmentStore(connection)
  const progress = createProgressStore(connection)
  const cachedPlaylists = createDocumentCache<Playlist>({
    connection,
    log,
    collection: 'playlists',
    maxEntries: 5_000,
    load: async ids => new Map((await playlists.byIds(ids)).map(each => [each.id, each])),
  })
  const cachedAssignments = createDocumentCache<Assignment>({
    connection,
    log,
    collection: 'assignments',
    maxEntries: 100_000,
    load: assignments.byKeys,
  })
  const youtube = createYoutubeReader(
    createYoutubeClient({ ...videoData, apiUrl: config.youtubeApiUrl, apiKey: config.youtubeApiKey, clock }),
    clock,
  )
  const groups = createPeopleGroups(people, { connection, log })
  const presence = createPresenceRecorder({ live, clock, log })
  const saves = createSaves(progress, { ...saving, measure: metrics.commit('progress') })
  const ctx: PlaybackContext = {
    clock,
    live,
    outbox,
    people,
    groups,
    presence,
    saves,
    turns: createKeyedMutex(),
    progress,
    youtube,
    calendar: createCalendar(config.timeZone),
    board: createOnlineBoard({ live, clock }),
    playlists: { ...playlists, cached: cachedPlaylists },
    assignments: { ...assignments, cached: cachedAssignments },
    monitoring: createMonitoringStore(connection),
    unavailableReports: createUnavailableReportStore(connection),
  }

  const watcher = createPresenceWatcher(ctx, { bus, log, source: host.name })
  const service = buildService(host, {
    ctx,
    routes,
    consumers,
    identify: createCallerIdentification(host, people),
    internalRoutes,
    lifecycles: [
      people,
      cachedPlaylists,
      cachedAssignments,
      groups,
      presence,
      saves,
      createSweeper(ctx, host),
      watcher,
    ],
  })
  return {
    ...service,
    sweepOnce: () => sweepOnce(ctx),
    watchPresenceOnce: watcher.lookOnce,
    seed: playlists => seedPlaylists(ctx, playlists),
  }
}
