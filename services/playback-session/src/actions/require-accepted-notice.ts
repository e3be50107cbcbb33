import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'

type NoticeContext = Pick<PlaybackContext, 'notice' | 'noticeAnswers'>

/** Fails unless the person has accepted the present notice, if the organisation has one. */
export async function requireAcceptedNotice(ctx: NoticeContext, personId: string): Promise<void> {
  if (!(await mayBeMonitored(ctx, personId))) fail('notice_unanswered')
}

/** True if the organisation has no notice, or the person has accepted the present one. */
export async function mayBeMonitored({ notice, noticeAnswers }: NoticeContext, personId: string): Promise<boolean> {
  if (notice.mode === 'off') return true
  const answer = await noticeAnswers.find(personId, notice.version)
  return answer?.accepted === true
}
