import { getPrivacyNotice as operation } from '@watchline/contracts/privacy'
import { defineRoute } from '@watchline/kit/http/route'
import { daysOf } from '@watchline/kit/process/config'
import type { AuthContext } from '../context.ts'

export const getPrivacyNotice = defineRoute(operation, async (_input, { config }: AuthContext) => ({
  contact: config.privacyContact ?? null,
  url: config.privacyUrl ?? null,
  retention: {
    messages: daysOf(config.retentionMessagesS),
    comments: daysOf(config.retentionCommentsS),
    notifications: daysOf(config.retentionNotificationsS),
    player_reports: daysOf(config.retentionReportsS),
    monitored_sessions: daysOf(config.retentionSessionsS),
    sign_ins: daysOf(config.retentionSignInsS),
    detail_views: daysOf(config.retentionViewsS),
    audit_entries: daysOf(config.retentionAuditS),
  },
}))
