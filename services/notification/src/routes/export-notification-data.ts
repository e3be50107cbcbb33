import { limits } from '@watchline/contracts/limits'
import { exportNotificationData as operation } from '@watchline/contracts/privacy'
import { findExportedPerson, type PersonalDataParts, streamPersonalData } from '@watchline/identity/personal-data'
import type { TimeCursor } from '@watchline/kit/http/paging'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { presentNotification } from './presenters.ts'

export const exportNotificationData = defineRoute(
  operation,
  async ({ query, person: caller }, ctx: NotificationContext) => {
    const person = await findExportedPerson({ ...ctx, service: 'notification' }, caller, query.user_id)
    return streamPersonalData(readParts(ctx, person.id))
  },
)

async function* readParts(
  { notifications, mails, mailChoices, bounces }: NotificationContext,
  personId: string,
): PersonalDataParts {
  let after: TimeCursor | undefined
  do {
    const page = await notifications.listPage(personId, { limit: limits.pageMax, after })
    for (const notification of page.notifications)
      yield { kind: 'notifications', data: presentNotification(notification) }
    after = page.next
  } while (after)
  for await (const mail of mails.listOf(personId)) yield { kind: 'mails', data: mail }
  const chosen = await mailChoices.chosenBy(personId)
  if (chosen) yield { kind: 'mail_choices', data: chosen }
  const bounce = await bounces.find(personId)
  if (bounce)
    yield { kind: 'bounces', data: { address: bounce.address, at: bounce.at, server_reply: bounce.serverReply } }
}
