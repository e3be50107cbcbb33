import { isTimeZone } from '@watchline/contracts/fields'
import { createCallerIdentification } from '@watchline/identity/caller'
import { createErasureJobs } from '@watchline/identity/erasure-jobs'
import { createPeople } from '@watchline/identity/people'
import { instantOf, localTimeOf } from '@watchline/kit/core/calendar'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import { eraseNotifications } from './actions/erase-notifications.ts'
import { createAdminInvitations } from './clients/admin-invitations.ts'
import { createDeliveryReportMailbox } from './clients/delivery-report-mailbox.ts'
import { createMailServer } from './clients/mail-server.ts'
import { createTaskOwners } from './clients/task-owners.ts'
import type { NotificationConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { MailDeps, MailWordings, NotificationContext } from './context.ts'
import { createActivityGrouping } from './jobs/group-activities.ts'
import type { StreamBounds } from './jobs/live-stream/browser-stream.ts'
import { createEventHints } from './jobs/live-stream/event-hints.ts'
import { createLiveStreams } from './jobs/live-stream/live-streams.ts'
import { createOrgPositions } from './jobs/live-stream/org-positions.ts'
import { createEarlierTimeZonePublisher, publishEarlierTimeZones } from './jobs/publish-earlier-time-zones.ts'
import { createOldReviewPublisher } from './jobs/publish-old-reviews.ts'
import { createDigestQueue, queueDigests } from './jobs/queue-digests.ts'
import { createDeliveryReportReader } from './jobs/read-delivery-reports.ts'
import { createMailSending } from './jobs/send-mails.ts'
import { routes } from './routes/index.ts'
import { createActivityStore } from './store/activities.ts'
import { createBounceStore } from './store/bounces.ts'
import { createLatestDigestDate } from './store/latest-digest-date.ts'
import { createMailChoices } from './store/mail-choices.ts'
import { createMailboxPositionStore } from './store/mailbox-position.ts'
import { createMailStore } from './store/mails.ts'
import { createNotificationErasure } from './store/notification-erasure.ts'
import { createNotificationStore } from './store/notifications.ts'
import { createSavedSettings } from './store/saved-settings.ts'

export interface NotificationService extends Service {
  /** Stores the digests whose time has come, as the job does every minute. */
  queueDigestsOnce(): Promise<void>
  /** Publishes the time zones of earlier versions, as the job does every hour. */
  publishEarlierTimeZonesOnce(): Promise<void>
}

export interface NotificationOptions {
  /** Bounds of the live streams that differ from the product's limits; for tests. */
  bounds?: Partial<StreamBounds>
}

export function createNotificationService(
  config: NotificationConfig,
  ports: Ports,
  { bounds = {} }: NotificationOptions = {},
): NotificationService {
  const host = createServiceHost('notification', config, ports)
  const { bus, clock, connection, live, log, metrics, outbox } = host
  const people = createPeople(host)
  const notifications = createNotificationStore(connection, {
    notificationsS: config.retentionNotificationsS,
    commentsS: config.retentionCommentsS,
  })
  const activities = createActivityStore(connection)
  const grouping = createActivityGrouping({ clock, log, outbox, notifications, activities })
  const oldReviews = createOldReviewPublisher({ clock, log, outbox, notifications })
  const positions = createOrgPositions(people)
  const streams = createLiveStreams({ positions, live, clock, log, metrics, bounds })
  const eventHints = createEventHints({ bus, streams, positions, log })
  const erasure = createNotificationErasure(connection)
  const mailWordings: MailWordings = createSavedSettings(connection, {
    ...{ model: 'MailWording', collection: 'mail_wordings' },
  })
  const reminderSettings: MailDeps['reminderSettings'] = createSavedSettings(connection, {
    ...{ model: 'ReminderSettings', collection: 'reminder_settings' },
  })
  const mailLanguages: MailDeps['mailLanguages'] = createSavedSettings(connection, {
    ...{ model: 'MailLanguages', collection: 'mail_languages' },
  })
  const settings = [mailWordings, reminderSettings, mailLanguages]
  const erasureJobs = createErasureJobs(host, person => eraseNotifications({ erasure, settings, outbox }, person))
  const validTimeZoneOf = (timeZone: string | undefined) =>
    timeZone !== undefined && isTimeZone(timeZone) ? timeZone : config.timeZone
  const mailDeps: MailDeps = {
    clock,
    log,
    people,
    outbox,
    notifications,
    activities,
    grouping,
    publicUrl: config.publicUrl,
    mail: config.mail,
    mailServer: config.mail && createMailServer(config.mail, config.publicUrl),
    mails: createMailStore(connection, config.retentionNotificationsS),
    mailChoices: createMailChoices(connection),
    mailWordings,
    mailLanguages,
    reminderSettings,
    latestDigestDate: createLatestDigestDate(connection),
    validTimeZoneOf,
    timeZoneConverterOf: timeZone => {
      const validTimeZone = validTimeZoneOf(timeZone)
      return {
        localTimeOf: at => localTimeOf(at, validTimeZone),
        instantOf: localTime => instantOf(localTime, validTimeZone),
      }
    },
    timeZone: config.timeZone,
    bounces: createBounceStore(connection),
    taskOwners: createTaskOwners(host, config),
  }
  const mailSending = createMailSending(mailDeps, { live, log, metrics })
  const deliveryReportReader = createDeliveryReportReader({
    mailDeps,
    mailbox: config.mail?.deliveryReports && createDeliveryReportMailbox(config.mail.deliveryReports),
    mailboxPosition: createMailboxPositionStore(connection),
    log,
  })
  const ctx: NotificationContext = {
    ...mailDeps,
    live,
    rateLimiter: host.rateLimiter,
    adminInvitations: createAdminInvitations(host),
    streams,
    erasure,
    erasureJobs,
    mailSending,
  }
  const service = buildService(host, {
    ctx,
    routes,
    consumers,
    identify: createCallerIdentification(host, people),
    lifecycles: [
      people,
      grouping,
      oldReviews,
      createEarlierTimeZonePublisher(ctx),
      mailSending,
      createDigestQueue(ctx),
      deliveryReportReader,
      streams,
      eventHints,
      erasureJobs,
    ],
  })
  return {
    ...service,
    queueDigestsOnce: () => queueDigests(ctx),
    publishEarlierTimeZonesOnce: () => publishEarlierTimeZones(ctx),
  }
}
