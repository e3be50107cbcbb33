import type { DueDate } from '@watchline/contracts/fields'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { NotificationContext } from '../context.ts'
import type { Activity } from '../rules/activity.ts'
import { dropClosedTasks } from './filter-open-tasks.ts'
import { queueMails } from './queue-mails.ts'

/**
 * Stores the activity for each recipient. The grouping job turns it into a notification after the
 * transaction. Those who get the kind by mail also get a mail; `due` is the due date of its task.
 */
export async function notifyRecipients(
  ctx: NotificationContext,
  tx: Transaction,
  recipientIds: readonly (string | null | undefined)[],
  activity: Activity,
  due?: DueDate | null,
): Promise<void> {
  const ids = [...new Set(recipientIds)].filter(id => typeof id === 'string')
  await addActivity(ctx, tx, ids, activity)
  await queueMails(ctx, tx, ids, activity, due)
}

/**
 * As {@link notifyRecipients}, for a reminder of an open task. Recipients whose task is closed or
 * has another due date get none. Mails ask again before they are sent.
 */
export async function remindRecipients(
  ctx: NotificationContext,
  tx: Transaction,
  recipientIds: readonly string[],
  activity: Activity & { playlist: { id: string; title: string } },
  due?: DueDate,
): Promise<void> {
  const tasks = recipientIds.map(personId => ({ personId, playlistId: activity.playlist.id, dueAt: due?.at }))
  const open = await dropClosedTasks(ctx, tasks)
  await addActivity(
    ctx,
    tx,
    open.map(({ personId }) => personId),
    activity,
  )
  await queueMails(ctx, tx, recipientIds, activity, due)
}

/** Stores the activity for each recipient, without mails. */
export async function addActivity(
  { activities, clock, grouping }: Pick<NotificationContext, 'activities' | 'clock' | 'grouping'>,
  tx: Transaction,
  recipientIds: readonly string[],
  activity: Activity,
): Promise<void> {
  await activities.add(recipientIds, activity, new Date(clock.now()), tx.session)
  tx.afterCommit(() => grouping.enqueue(recipientIds.map(recipientId => ({ recipientId, kind: activity.kind }))))
}
