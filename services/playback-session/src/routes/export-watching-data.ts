import { exportWatchingData as operation } from '@watchline/contracts/privacy'
import { findExportedPerson, streamPersonalData } from '@watchline/identity/personal-data'
import { defineRoute } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'

export const exportWatchingData = defineRoute(operation, async ({ query, person: caller }, ctx: PlaybackContext) => {
  const person = await findExportedPerson({ ...ctx, service: 'playback-session' }, caller, query.user_id)
  return streamPersonalData(ctx.watchingData.read(person.id))
})
