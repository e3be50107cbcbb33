import { answerMonitoringNotice as operation } from '@watchline/contracts/playback'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { endUnacceptedSession } from '../actions/end-unaccepted-session.ts'
import type { PlaybackContext } from '../context.ts'
import { presentNotice } from './presenters.ts'

export const answerMonitoringNotice = defineRoute(operation, async ({ body, person }, ctx: PlaybackContext) => {
  const { notice, noticeAnswers, clock } = ctx
  if (body.version !== notice.version) fail('conflict', { detail: 'The notice has changed. Please read it again.' })
  const answer = { accepted: body.accepted, at: new Date(clock.now()) }
  await noticeAnswers.save(person.id, notice, answer)
  if (!body.accepted) await endUnacceptedSession(ctx, person.id)
  return presentNotice(notice, answer)
})
