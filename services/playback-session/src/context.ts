import type { People, Person } from '@watchline/identity/people'
import type { Calendar } from '@watchline/kit/core/calendar'
import type { Clock } from '@watchline/kit/core/clock'
import type { KeyedMutex } from '@watchline/kit/core/keyed-mutex'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { PresenceRecorder } from '@watchline/kit/live/presence-recorder'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { DocumentCache } from '@watchline/kit/mongo/document-cache'
import type { GroupCommit } from '@watchline/kit/mongo/group-commit'
import type { YoutubeReader } from './clients/youtube/reader.ts'
import type { Assignment } from './rules/assignment.ts'
import type { AssignmentStore } from './store/assignments.ts'
import type { MonitoringStore } from './store/monitoring.ts'
import type { OnlineBoard } from './store/online-people.ts'
import type { Playlist, PlaylistStore } from './store/playlists.ts'
import type { ProgressStore, Save } from './store/progress.ts'
import type { UnavailableReportStore } from './store/unavailable-reports.ts'

/** What routes and consumers of this service work with; wired in service.ts. */
export interface PlaybackContext {
  clock: Clock
  live: LiveStore
  outbox: Outbox
  people: People
  /** People in bulk, by what they are to somebody: kept in memory until any person changes. */
  groups: DocumentCache<Person[]>
  presence: PresenceRecorder
  calendar: Calendar
  board: OnlineBoard
  playlists: PlaylistStore & { cached: DocumentCache<Playlist> }
  assignments: AssignmentStore & { cached: DocumentCache<Assignment> }
  unavailableReports: UnavailableReportStore
  youtube: YoutubeReader
  monitoring: MonitoringStore
  /** By person: who opens and ends monitored sessions. */
  turns: KeyedMutex
  progress: ProgressStore
  /** Resolves when the position is durable, with false when a newer holder has taken the pen. */
  saves: GroupCommit<Save, boolean>
}
