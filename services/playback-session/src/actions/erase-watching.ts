import type { PlaybackContext } from '../context.ts'

type Deps = Pick<PlaybackContext, 'progress' | 'monitoring' | 'reminders' | 'noticeAnswers'>

/**
 * Erases positions, monitored sessions and reminders of a person. Assignments stay under their id,
 * because the figures of playlists count them. The end of their login sessions ends an open
 * monitored session and their presence. May be repeated.
 */
export async function eraseWatching(
  { progress, monitoring, reminders, noticeAnswers }: Deps,
  personId: string,
): Promise<void> {
  await progress.removeOf(personId)
  await monitoring.removeEndedOf(personId)
  await reminders.remove(personId)
  await noticeAnswers.removeOf(personId)
}
