import type { ErasureJobs } from '@watchline/identity/erasure-jobs'
import type { MediaSigner } from '@watchline/identity/media-addresses'
import type { People, Person } from '@watchline/identity/people'
import type { Calendar } from '@watchline/kit/core/calendar'
import type { Clock } from '@watchline/kit/core/clock'
import type { KeyedMutex } from '@watchline/kit/core/keyed-mutex'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { MonitoringLockWriter } from '@watchline/kit/live/monitoring-lock-writer'
import type { PresenceRecorder } from '@watchline/kit/live/presence-recorder'
import type { PresenceWriter } from '@watchline/kit/live/presence-writer'
import type { RateLimiter } from '@watchline/kit/live/rate-limit'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { DocumentCache } from '@watchline/kit/mongo/document-cache'
import type { DetailViewPublisher } from './actions/publish-detail-views.ts'
import type { MediaFolder } from './clients/media-folder.ts'
import type { YoutubeReader } from './clients/youtube/reader.ts'
import type { VideoCovers } from './clients/youtube/video-covers.ts'
import type { Assignment } from './rules/assignment.ts'
import type { Notice } from './rules/notice.ts'
import type { Playlist } from './rules/playlist.ts'
import type { AssignedOrders } from './store/assigned-order.ts'
import type { AssigneeSummary } from './store/assignees.ts'
import type { AssignmentChangeStore } from './store/assignment-changes.ts'
import type { AssignmentStore } from './store/assignments.ts'
import type { FormerLeaderStore } from './store/former-leaders.ts'
import type { GroupAssignmentStore } from './store/group-assignments.ts'
import type { GroupTaskRequestStore } from './store/group-task-requests.ts'
import type { GroupStore } from './store/groups.ts'
import type { MemberAssignmentStore } from './store/member-assignments.ts'
import type { MonitoringStore } from './store/monitoring.ts'
import type { NightlyLeaseStore } from './store/nightly-lease.ts'
import type { NoticeAnswerStore } from './store/notice-answers.ts'
import type { OnlinePeople } from './store/online-people.ts'
import type { PlaylistStore } from './store/playlists.ts'
import type { PositionBatcher } from './store/position-batcher.ts'
import type { ProgressStore } from './store/progress.ts'
import type { ReminderStore } from './store/reminders.ts'
import type { TimeZoneStore } from './store/time-zones.ts'
import type { UnavailableReportStore } from './store/unavailable-reports.ts'
import type { UncompletableTaskStore } from './store/uncompletable-tasks.ts'
import type { WatchingData } from './store/watching-data.ts'

interface AssignmentCaches {
  /** By person and playlist, until the assignment changes. */
  cached: DocumentCache<Assignment>
  /** By playlist, until somebody gets or loses it. */
  summaries: DocumentCache<AssigneeSummary>
  /** How many people have each playlist, until somebody gets or loses it. */
  assigneeCounts: DocumentCache<number>
}

/** Everything that routes, consumers, actions and jobs receive; service.ts wires it. */
export interface PlaybackContext {
  clock: Clock
  /** This service alone writes monitoring locks. */
  live: LiveStore & { locks: MonitoringLockWriter; presence: PresenceWriter }
  rateLimiter: RateLimiter
  outbox: Outbox
  people: People
  /** Teams and staff by key, cached until any person changes. */
  teams: DocumentCache<Person[]>
  presence: PresenceRecorder
  onlinePeople: OnlinePeople
  calendar: Calendar
  /** The fastest playback that engagement credits. */
  maxPlaybackRate: number
  /** The origin people use in their browsers; undefined if it is not set. */
  publicUrl: string | undefined
  playlists: PlaylistStore & { cached: DocumentCache<Playlist> }
  assignments: AssignmentStore & AssignmentCaches
  assignedOrders: AssignedOrders
  assignmentChanges: AssignmentChangeStore
  publishDetailViews: DetailViewPublisher
  groups: GroupStore
  groupAssignments: GroupAssignmentStore
  memberAssignments: MemberAssignmentStore
  groupTaskRequests: GroupTaskRequestStore
  /** These wake the jobs of the same names. Call them after the commit. */
  wakeGroupTaskUpdates: () => void
  wakeDeletedPlaylistCleanup: () => void
  timeZones: TimeZoneStore
  reminders: ReminderStore
  uncompletableTasks: UncompletableTaskStore
  formerLeaders: FormerLeaderStore
  /** Of the nightly check of uncompletable tasks. */
  uncompletableLease: NightlyLeaseStore
  unavailableReports: UnavailableReportStore
  youtube: YoutubeReader
  videoCovers: VideoCovers
  media: MediaSigner
  mediaFolder: MediaFolder
  /** The origins of other hosts from which pages may load videos; empty for any host. */
  mediaHosts: readonly string[]
  monitoring: MonitoringStore
  /** By person: serialises the start and the end of monitored sessions in this process. */
  monitoringMutex: KeyedMutex
  progress: ProgressStore
  erasureJobs: ErasureJobs
  watchingData: WatchingData
  notice: Notice
  noticeAnswers: NoticeAnswerStore
  positions: PositionBatcher
}
