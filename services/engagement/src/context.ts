import type { People, Person } from '@watchline/identity/people'
import type { Calendar } from '@watchline/kit/core/calendar'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { DocumentCache } from '@watchline/kit/mongo/document-cache'
import type { Projections } from './projections.ts'
import type { Rules } from './rules/crediting.ts'
import type { CommentStore } from './store/comments.ts'
import type { CompletionDays } from './store/completion-days.ts'
import type { RawReports } from './store/raw-reports.ts'
import type { WatcherStore } from './store/watchers.ts'
import type { Tracking } from './tracking.ts'

/** What routes and consumers of this service work with; wired in service.ts. */
export interface EngagementContext {
  clock: Clock
  live: LiveStore
  outbox: Outbox
  people: People
  /** People in bulk, by what they are to somebody: kept in memory until any person changes. */
  groups: DocumentCache<Person[]>
  projections: Projections
  watchers: WatcherStore
  comments: CommentStore
  completionDays: CompletionDays
  rawReports: RawReports
  tracking: Tracking
  calendar: Calendar
  rules: Rules
}
