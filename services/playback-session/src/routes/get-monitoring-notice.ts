import { getMonitoringNotice as operation } from '@watchline/contracts/playback'
import { defineRoute } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'
import { presentNotice } from './presenters.ts'

export const getMonitoringNotice = defineRoute(operation, async ({ person }, ctx: PlaybackContext) =>
  presentNotice(ctx.notice, await ctx.noticeAnswers.find(person.id, ctx.notice.version)),
)
