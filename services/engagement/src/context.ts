import type { ErasureJobs } from '@watchline/identity/erasure-jobs'
import type { People, Person } from '@watchline/identity/people'
import type { Calendar } from '@watchline/kit/core/calendar'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { RateLimiter } from '@watchline/kit/live/rate-limit'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { ComputedCache } from '@watchline/kit/mongo/computed-cache'
import type { DocumentCache } from '@watchline/kit/mongo/document-cache'
import type { TaskReportCache } from './actions/cache-task-reports.ts'
import type { ReportCommit } from './actions/commit-reports.ts'
import type { GroupMembers } from './clients/group-members.ts'
import type { CreditingRules } from './rules/bank.ts'
import type { ScopeFigures } from './rules/team-figures.ts'
import type { CommentStore } from './store/comments.ts'
import type { DetailViews } from './store/detail-views.ts'
import type { EngagementData } from './store/engagement-data.ts'
import type { IssuedRecordStore } from './store/issued-records.ts'
import type { MonitoredSessionStore } from './store/monitored-sessions.ts'
import type { Projections } from './store/projections.ts'
import type { RawReports } from './store/raw-reports.ts'
import type { RecordKeys } from './store/record-keys.ts'
import type { SavedReportStore } from './store/saved-reports.ts'
import type { TaskFactStore } from './store/task-facts.ts'
import type { WatcherStore } from './store/watchers.ts'

/** The dependencies of this service's routes and consumers. */
export interface EngagementContext {
  clock: Clock
  live: LiveStore
  rateLimiter: RateLimiter
  outbox: Outbox
  people: People
  /** Teams and staff by key, cached until any person changes. */
  teams: DocumentCache<Person[]>
  groupMembers: GroupMembers
  projections: Projections
  watchers: WatcherStore
  comments: CommentStore
  /** The figures of all trainees, for callers who see everybody. */
  everybodyFigures: ComputedCache<ScopeFigures>
  everybodyTaskReports: TaskReportCache
  rawReports: RawReports
  reportCommit: ReportCommit
  calendar: Calendar
  creditingRules: CreditingRules
  erasureJobs: ErasureJobs
  detailViews: DetailViews
  taskFacts: TaskFactStore
  /** Wakes the job that issues certificates. Call it after the commit. */
  wakeCertificateIssuing: () => void
  monitoredSessions: MonitoredSessionStore
  issuedRecords: IssuedRecordStore
  recordKeys: RecordKeys
  savedReports: SavedReportStore
  /** The address of the gateway for browsers, if it is known. */
  publicUrl: string | undefined
  engagementData: EngagementData
}
