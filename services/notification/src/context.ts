import type { MailKind } from '@watchline/contracts/mail'
import type { MailLanguages } from '@watchline/contracts/mail-languages'
import type { MailWording } from '@watchline/contracts/mail-settings'
import type { ErasureJobs } from '@watchline/identity/erasure-jobs'
import type { People } from '@watchline/identity/people'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { RateLimiter } from '@watchline/kit/live/rate-limit'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { Logger } from '@watchline/kit/observability/log'
import type { AdminInvitations } from './clients/admin-invitations.ts'
import type { MailServer } from './clients/mail-server.ts'
import type { TaskOwners } from './clients/task-owners.ts'
import type { MailConfig } from './config.ts'
import type { ActivityGrouping } from './jobs/group-activities.ts'
import type { LiveStreams } from './jobs/live-stream/live-streams.ts'
import type { StoredReminderSettings } from './rules/digest-date.ts'
import type { TimeZoneConverter } from './rules/quiet-times.ts'
import type { ActivityStore } from './store/activities.ts'
import type { BounceStore } from './store/bounces.ts'
import type { LatestDigestDate } from './store/latest-digest-date.ts'
import type { MailChoices } from './store/mail-choices.ts'
import type { MailStore } from './store/mails.ts'
import type { NotificationErasure } from './store/notification-erasure.ts'
import type { NotificationStore } from './store/notifications.ts'
import type { SavedSettings } from './store/saved-settings.ts'

/** The languages as they are stored. */
export interface StoredMailLanguages extends MailLanguages {
  /**
   * The language of the words whose keys name none. Absent in rows of earlier versions: then it is
   * the default language.
   */
  unnamed_words_language?: string | undefined
}

/** A kind of mail, in the language after the colon or without one. */
export type MailWordingKey = MailKind | `${MailKind}:${string}`

/** The words of each kind of mail, where they differ from the default ones. */
export type MailWordings = SavedSettings<MailWordingKey, MailWording>

/** The dependencies of everything about mails. */
export interface MailDeps {
  clock: Clock
  log: Logger
  people: People
  outbox: Outbox
  notifications: NotificationStore
  activities: ActivityStore
  grouping: ActivityGrouping
  /** The origin people use in their browsers. */
  publicUrl: string
  /** Undefined without a mail server, as is `mailServer`. */
  mail: MailConfig | undefined
  mailServer: MailServer | undefined
  mails: MailStore
  mailChoices: MailChoices
  mailWordings: MailWordings
  mailLanguages: SavedSettings<'languages', StoredMailLanguages>
  latestDigestDate: LatestDigestDate
  reminderSettings: SavedSettings<'reminders', StoredReminderSettings>
  /** The organisation's. */
  timeZone: string
  /**
   * The time zone, or that of the organisation for an unknown one: a later version of the time
   * zones may drop one that somebody chose.
   */
  validTimeZoneOf(timeZone: string | undefined): string
  /** Of the organisation's time zone if this one is unknown. */
  timeZoneConverterOf(timeZone: string): TimeZoneConverter
  bounces: BounceStore
  taskOwners: TaskOwners
}

/** The dependencies of this service's routes and consumers. */
export interface NotificationContext extends MailDeps {
  live: LiveStore
  rateLimiter: RateLimiter
  adminInvitations: AdminInvitations
  streams: LiveStreams
  erasure: NotificationErasure
  erasureJobs: ErasureJobs
  /** Looks for mails now, after this process has stored some. */
  mailSending: { wake(): void }
}
