import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'

/** Fails unless the person has accepted the present notice, if the organisation has one. */
export async function requireAcceptedNotice(
  { notice, noticeAnswers }: Pick<PlaybackContext, 'notice' | 'noticeAnswers'>,
  personId: string,
): Promise<void> {
  if (notice.mode === 'off') return
  const answer = await noticeAnswers.find(personId, notice.version)
  if (!answer?.accepted) fail('notice_unanswered')
}
