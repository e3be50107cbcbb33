import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { queueReport } from '../actions/queue-report.ts'
import type { NotificationContext } from '../context.ts'

export const onReportDue = defineConsumer('report.due', ({ event, tx }, ctx: NotificationContext) =>
  queueReport(ctx, tx, event.data),
)
