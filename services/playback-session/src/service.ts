import { createHash } from 'node:crypto'
import { createCallerIdentification } from '@watchline/identity/caller'
import { createErasureJobs } from '@watchline/identity/erasure-jobs'
import { createMediaSigner } from '@watchline/identity/media-addresses'
import { createPeople } from '@watchline/identity/people'
import { createTeamCache } from '@watchline/identity/teams'
import { createCalendar } from '@watchline/kit/core/calendar'
import { createKeyedMutex } from '@watchline/kit/core/keyed-mutex'
import { createWakeup } from '@watchline/kit/core/repeat'
import { withMonitoringLockWriter } from '@watchline/kit/live/monitoring-lock-writer'
import { createPresenceRecorder } from '@watchline/kit/live/presence-recorder'
import { withPresenceWriter } from '@watchline/kit/live/presence-writer'
import { createDocumentCache } from '@watchline/kit/mongo/document-cache'
import type { DocumentChange } from '@watchline/kit/mongo/shared-change-stream'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import { eraseWatching } from './actions/erase-watching.ts'
import { computeAssignedOrder } from './actions/find-playlist-page-by-assigned.ts'
import { createDetailViewPublisher } from './actions/publish-detail-views.ts'
import { type SeededPlaylist, seedPlaylists } from './actions/seed-playlists.ts'
import { createMediaFolder } from './clients/media-folder.ts'
import type { VideoDataLimits } from './clients/youtube/api-call.ts'
import { createYoutubeClient } from './clients/youtube/client.ts'
import { createYoutubeReader } from './clients/youtube/reader.ts'
import { createVideoCovers } from './clients/youtube/video-covers.ts'
import type { PlaybackSessionConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { PlaybackContext } from './context.ts'
import { correctTitleKeys, createTitleKeyCorrection } from './jobs/correct-title-keys.ts'
import { createOccurrenceOpening, openOccurrences } from './jobs/open-occurrences.ts'
import { createPresenceWatcher } from './jobs/presence-watcher.ts'
import {
  createUncompletableTaskPublisher,
  publishAtNight,
  publishUncompletableTasks,
} from './jobs/publish-uncompletable-tasks.ts'
import {
  createDeletedPlaylistCleanup,
  removeAssignmentsOfDeletedPlaylists,
} from './jobs/remove-assignments-of-deleted-playlists.ts'
import { createYoutubeRenewal, renewYoutubeDetails } from './jobs/renew-youtube-details.ts'
import { createDueReminders, sendDueReminders } from './jobs/send-due-reminders.ts'
import { createSweeper, sweepSilentSessions } from './jobs/sweeper.ts'
import { createGroupTaskUpdates, updateRequestedGroups } from './jobs/update-group-tasks.ts'
import { internalRoutes, routes } from './routes/index.ts'
import type { Assignment } from './rules/assignment.ts'
import { createNotice } from './rules/notice.ts'
import type { Playlist } from './rules/playlist.ts'
import { organisationVideoDataLimit, personVideoDataLimit } from './rules/rate-limits.ts'
import { createAssignedOrders } from './store/assigned-order.ts'
import type { AssigneeSummary } from './store/assignees.ts'
import { createAssignmentChangeStore } from './store/assignment-changes.ts'
import { createAssignmentStore } from './store/assignments.ts'
import { createFormerLeaderStore } from './store/former-leaders.ts'
import { createGroupAssignmentStore } from './store/group-assignments.ts'
import { createGroupTaskRequestStore } from './store/group-task-requests.ts'
import { createGroupStore } from './store/groups.ts'
import { createMemberAssignmentStore } from './store/member-assignments.ts'
import { createMonitoringStore } from './store/monitoring.ts'
import { createNightlyLeaseStore } from './store/nightly-lease.ts'
import { createNoticeAnswerStore } from './store/notice-answers.ts'
import { createOnlinePeople } from './store/online-people.ts'
import { createPlaylistStore } from './store/playlists.ts'
import { createPositionBatcher, type PositionBatchLimits } from './store/position-batcher.ts'
import { createProgressStore } from './store/progress.ts'
import { createReminderStore } from './store/reminders.ts'
import { createAssignmentReader, playlistOfKey } from './store/stored-assignment.ts'
import { createTimeZoneStore } from './store/time-zones.ts'
import { createUnavailableReportStore } from './store/unavailable-reports.ts'
import { createUncompletableTaskStore } from './store/uncompletable-tasks.ts'
import { createWatchingData } from './store/watching-data.ts'

export interface PlaybackSessionService extends Service {
  /** Ends silent monitored sessions and returns how many. The sweeper also calls it. */
  sweepOnce(): Promise<number>
  /** Sends due reminders and returns of how many tasks. A job also calls it. */
  sendDueRemindersOnce(): Promise<number>
  /** Opens occurrences of recurring tasks and returns how many. A job also calls it. */
  openOccurrencesOnce(): Promise<number>
  publishUncompletableTasksOnce(): Promise<void>
  /** Publishes uncompletable tasks if no replica has done so this night. */
  checkUncompletableTasksAtNight(): Promise<void>
  /** Removes the assignments of deleted playlists. A job also calls it. */
  removeAssignmentsOfDeletedPlaylistsOnce(): Promise<void>
  /** Corrects the keys by which searches compare titles. A job also calls it. */
  correctTitleKeysOnce(): Promise<void>
  /** Updates the tasks of groups with a request. A job also calls it. */
  updateGroupTasksOnce(): Promise<void>
  /** Renews due details of YouTube videos and returns of how many playlists. */
  renewYoutubeOnce(): Promise<number>
  /** Publishes presence changes and returns how many. The presence watcher also calls it. */
  watchPresenceOnce(): Promise<number>
  /** Adds initial playlists and assignments after the start. Idempotent. */
  seed(playlists: readonly SeededPlaylist[]): Promise<void>
}

/** `batchLimits` bounds the batching of positions, `videoDataLimits` the calls to YouTube. */
export function createPlaybackSessionService(
  config: PlaybackSessionConfig,
  ports: Ports,
  batchLimits: PositionBatchLimits = {},
  videoDataLimits: VideoDataLimits = {},
): PlaybackSessionService {
  const host = createServiceHost('playback-session', config, ports)
  const { bus, connection, clock, log, metrics, outbox } = host
  const live = withPresenceWriter(withMonitoringLockWriter(host.live))
  const people = createPeople(host)
  const playlists = createPlaylistStore(connection)
  const reminderDays = {
    before: config.reminderDaysBefore,
    after: config.reminderDaysAfter,
    escalation: config.escalationDaysAfter,
  }
  const toAssignment = createAssignmentReader(config.timeZone)
  const assignments = createAssignmentStore(connection, toAssignment, reminderDays)
  const progress = createProgressStore(connection)
  const cachedPlaylists = createDocumentCache<Playlist>({
    connection,
    log,
    collection: 'playlists',
    maxEntries: 5_000,
    load: async ids => new Map((await playlists.byIds(ids)).map(playlist => [playlist.id, playlist])),
  })
  const cachedAssignments = createDocumentCache<Assignment>({
    connection,
    log,
    collection: 'assignments',
    maxEntries: 100_000,
    load: assignments.byKeys,
  })
  const changesOfAssignees = {
    collection: 'assignments',
    // An update leaves the person and the playlist as they are.
    invalidate: ({ id, operationType }: DocumentChange) => (operationType === 'update' ? undefined : playlistOfKey(id)),
  }
  const assigneeSummaries = createDocumentCache<AssigneeSummary>({
    connection,
    log,
    ...changesOfAssignees,
    maxEntries: 5_000,
    load: assignments.summariseAssignees,
  })
  const assigneeCounts = createDocumentCache<number>({
    connection,
    log,
    ...changesOfAssignees,
    // A director's list in this order reads the counts of all playlists.
    maxEntries: 100_000,
    load: assignments.countAllAssignees,
  })
  const assignedOrders = createAssignedOrders(clock, request =>
    computeAssignedOrder({ playlists, assignments: { assigneeCounts } }, request),
  )
  const youtube = createYoutubeReader(
    createYoutubeClient({
      ...videoDataLimits,
      apiUrl: config.youtubeApiUrl,
      apiKey: config.youtubeApiKey,
      clock,
      countCall: async personId => {
        if (personId) await host.rateLimiter.count(`video-data:${personId}`, personVideoDataLimit)
        await host.rateLimiter.count('video-data', organisationVideoDataLimit)
      },
    }),
    clock,
  )
  const teams = createTeamCache(people, { connection, log })
  const presence = createPresenceRecorder({ live, clock, log })
  const positions = createPositionBatcher(progress, { ...batchLimits, measure: metrics.commit('progress') })
  const monitoring = createMonitoringStore(connection, config.retentionSessionsS)
  const reminders = createReminderStore(connection)
  const noticeAnswers = createNoticeAnswerStore(connection)
  const assignmentChanges = createAssignmentChangeStore(connection)
  const uncompletableTasks = createUncompletableTaskStore(connection)
  const formerLeaders = createFormerLeaderStore(connection)
  const groups = createGroupStore(connection)
  const groupAssignments = createGroupAssignmentStore(connection)
  const timeZones = createTimeZoneStore(connection, config.timeZone)
  const unavailableReports = createUnavailableReportStore(connection)
  const erasureJobs = createErasureJobs(host, ({ personId }) =>
    eraseWatching(
      {
        ...{ progress, monitoring, reminders, noticeAnswers, assignments, assignmentChanges, uncompletableTasks },
        ...{ formerLeaders, timeZones, unavailableReports },
        ...{ groups, groupAssignments, outbox },
      },
      personId,
    ),
  )
  const groupTaskWakeup = createWakeup()
  const deletedPlaylistWakeup = createWakeup()
  const calendar = createCalendar(config.timeZone)
  const ctx: PlaybackContext = {
    clock,
    live,
    rateLimiter: host.rateLimiter,
    outbox,
    people,
    teams,
    presence,
    positions,
    progress,
    youtube,
    videoCovers: createVideoCovers(config.youtubeCoversUrl, clock),
    mediaFolder: createMediaFolder(config.mediaRoot),
    mediaHosts: config.mediaHosts,
    media: createMediaSigner(config.mediaSecrets, config.publicUrl ? [config.publicUrl] : []),
    calendar,
    maxPlaybackRate: config.maxPlaybackRate,
    publicUrl: config.publicUrl,
    onlinePeople: createOnlinePeople({ live, clock }),
    playlists: { ...playlists, cached: cachedPlaylists },
    assignments: { ...assignments, cached: cachedAssignments, summaries: assigneeSummaries, assigneeCounts },
    assignedOrders,
    monitoring,
    monitoringMutex: createKeyedMutex(),
    assignmentChanges,
    publishDetailViews: createDetailViewPublisher({ outbox, clock, calendar }),
    groups,
    groupAssignments,
    memberAssignments: createMemberAssignmentStore(connection, toAssignment, reminderDays),
    groupTaskRequests: createGroupTaskRequestStore(connection),
    wakeGroupTaskUpdates: groupTaskWakeup.wake,
    wakeDeletedPlaylistCleanup: deletedPlaylistWakeup.wake,
    timeZones,
    reminders,
    erasureJobs,
    watchingData: createWatchingData(connection),
    noticeAnswers,
    notice: createNotice(config.monitoringNotice, config.monitoringNoticeText, hashText),
    unavailableReports,
    uncompletableTasks,
    formerLeaders,
    uncompletableLease: createNightlyLeaseStore(connection, 'uncompletable_tasks'),
  }

  const presenceWatcher = createPresenceWatcher({ clock, live, people, bus, log, source: host.name })
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
      assigneeSummaries,
      assigneeCounts,
      teams,
      presence,
      positions,
      erasureJobs,
      createSweeper(ctx, host),
      createYoutubeRenewal(ctx, log),
      createDueReminders(ctx, log),
      createOccurrenceOpening(ctx, log),
      createUncompletableTaskPublisher(ctx, log),
      createGroupTaskUpdates(ctx, groupTaskWakeup, log),
      createDeletedPlaylistCleanup(ctx, deletedPlaylistWakeup, log),
      createTitleKeyCorrection(ctx, log),
      presenceWatcher,
    ],
  })
  return {
    ...service,
    renewYoutubeOnce: () => renewYoutubeDetails(ctx, log),
    sweepOnce: () => sweepSilentSessions(ctx),
    sendDueRemindersOnce: () => sendDueReminders(ctx),
    openOccurrencesOnce: () => openOccurrences(ctx, log),
    publishUncompletableTasksOnce: async () => void (await publishUncompletableTasks(ctx, async () => true)),
    checkUncompletableTasksAtNight: () => publishAtNight(ctx),
    removeAssignmentsOfDeletedPlaylistsOnce: () => removeAssignmentsOfDeletedPlaylists(ctx),
    correctTitleKeysOnce: () => correctTitleKeys(ctx),
    updateGroupTasksOnce: () => updateRequestedGroups(ctx, log),
    watchPresenceOnce: presenceWatcher.publishChanges,
    seed: playlists => seedPlaylists(ctx, playlists),
  }
}

const hashText = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
