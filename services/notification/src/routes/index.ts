import type { Route } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { clearBounce } from './clear-bounce.ts'
import { countOwnNotifications } from './count-own-notifications.ts'
import { exportNotificationData } from './export-notification-data.ts'
import { getMailChoices } from './get-mail-choices.ts'
import { getMailLanguages } from './get-mail-languages.ts'
import { getMailStatus } from './get-mail-status.ts'
import { getReminderSettings } from './get-reminder-settings.ts'
import { listMailWordings } from './list-mail-wordings.ts'
import { listNotifications } from './list-notifications.ts'
import { mailAdminInvitation } from './mail-admin-invitation.ts'
import { openStream } from './open-stream.ts'
import { openUnsubscribe } from './open-unsubscribe.ts'
import { previewMailWording } from './preview-mail-wording.ts'
import { readAllNotifications } from './read-all-notifications.ts'
import { readNotification } from './read-notification.ts'
import { reviewNotification } from './review-notification.ts'
import { saveMailChoices } from './save-mail-choices.ts'
import { saveMailLanguages } from './save-mail-languages.ts'
import { saveMailWording } from './save-mail-wording.ts'
import { saveReminderSettings } from './save-reminder-settings.ts'
import { sendTestMail } from './send-test-mail.ts'
import { unsubscribe } from './unsubscribe.ts'

/** The HTTP entry points of this service. */
export const routes: readonly Route<NotificationContext>[] = [
  listNotifications,
  countOwnNotifications,
  exportNotificationData,
  reviewNotification,
  readNotification,
  readAllNotifications,
  openStream,
  getMailChoices,
  saveMailChoices,
  openUnsubscribe,
  unsubscribe,
  getMailStatus,
  sendTestMail,
  mailAdminInvitation,
  clearBounce,
  getMailLanguages,
  saveMailLanguages,
  listMailWordings,
  saveMailWording,
  previewMailWording,
  getReminderSettings,
  saveReminderSettings,
]
