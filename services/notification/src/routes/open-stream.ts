import { openStream as operation } from '@watchline/contracts/notification'
import { defineRoute, EventStreamReply } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'

export const openStream = defineRoute(operation, async ({ person, sid, header }, { streams }: NotificationContext) => {
  await streams.admit(sid)
  const missed = header('last-event-id') !== undefined
  return new EventStreamReply(res => streams.open(res, { person, sid, missed }))
})
