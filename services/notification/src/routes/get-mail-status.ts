import { limits } from '@watchline/contracts/limits'
import { getMailStatus as operation } from '@watchline/contracts/mail'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'

export const getMailStatus = defineRoute(operation, async (_input, ctx: NotificationContext) => {
  const { mail, mails } = ctx
  const [waiting, unknown, failed, unverified, failures, bounces] = await Promise.all([
    mails.count('waiting'),
    mails.count('unknown'),
    mails.count('failed'),
    mails.countCancelled('unverified_address'),
    mails.latest('failed', limits.mailFailuresShown),
    listBounces(ctx),
  ])
  return {
    is_available: mail !== undefined,
    ...(mail && { from: mail.sender.address }),
    reads_reports: mail?.deliveryReports !== undefined,
    counts: { waiting, unknown, failed, unverified },
    latest_failures: failures.map(({ id, recipientId, kind, state, attempts, createdAt, explanation }) => ({
      ...{ id, person_id: recipientId, kind, state, attempts, created_at: createdAt.toISOString() },
      ...(explanation !== undefined && { explanation }),
    })),
    bounces,
  }
})

/** Omits bounces of addresses that their people have changed since. */
async function listBounces({ bounces, people }: NotificationContext) {
  const listedBounces = await bounces.list(limits.bouncesShown)
  const owners = await people.byIds(listedBounces.map(({ personId }) => personId))
  const ownersById = new Map(owners.map(owner => [owner.id, owner]))
  return listedBounces.flatMap(({ personId, address, at, serverReply }) => {
    const person = ownersById.get(personId)
    if (person?.email !== address) return []
    const owner = { person_id: personId, person_name: person.name, address }
    return [{ ...owner, at: at.toISOString(), server_reply: serverReply }]
  })
}
