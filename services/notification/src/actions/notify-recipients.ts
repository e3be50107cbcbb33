import type { Person } from '@watchline/identity/people'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { NotificationContext } from '../context.ts'
import type { Happening, Named } from '../rules/activity.ts'

/** Somebody an event names, as well as they are known here. */
export async function named({ people }: Pick<NotificationContext, 'people'>, id: string): Promise<Person | undefined> {
  return people.find(id, 0)
}

export const nameOf = (person: Named | undefined, id: string): Named => ({ id, name: person?.name ?? 'Somebody' })

/** Stores what happened for each of these people; it becomes part of a notification once the transaction is through. */
export async function tell(
  ctx: NotificationContext,
  tx: Transaction,
  recipientIds: readonly (string | null | undefined)[],
  happening: Happening,
): Promise<void> {
  const ids = [...new Set(recipientIds)].filter(id => typeof id === 'string')
  await ctx.happenings.add(ids, happening, new Date(ctx.clock.now()), tx.session)
  tx.after(() => ctx.folding.wake(ids.map(recipientId => ({ recipientId, kind: happening.kind }))))
}
