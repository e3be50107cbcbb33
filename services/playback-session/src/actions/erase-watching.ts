import type { PlaybackContext } from '../context.ts'
import type { AssignmentStore } from '../store/assignments.ts'

type Deps = Pick<
  PlaybackContext,
  | 'progress'
  | 'monitoring'
  | 'reminders'
  | 'noticeAnswers'
  | 'assignmentChanges'
  | 'uncompletableTasks'
  | 'formerLeaders'
  | 'timeZones'
  | 'groups'
  | 'groupAssignments'
  | 'unavailableReports'
  | 'outbox'
> & {
  assignments: Pick<AssignmentStore, 'eraseWords'>
}

/**
 * Erases positions, monitored sessions, reminders, the time zone, open reports of videos and
 * memberships of groups of a person. Also erases the reasons of overrides and changed terms, and
 * the notes to and by the person. Assignments stay under their id, because the figures of playlists
 * count them. The end of their login sessions ends an open monitored session and their presence.
 * May be repeated.
 */
export async function eraseWatching(ctx: Deps, personId: string): Promise<void> {
  const { progress, monitoring, reminders, noticeAnswers, assignments, assignmentChanges, uncompletableTasks } = ctx
  await progress.removeOf(personId)
  await monitoring.removeEndedOf(personId)
  await reminders.remove(personId)
  await noticeAnswers.removeOf(personId)
  await uncompletableTasks.removeOf(personId)
  await ctx.formerLeaders.removeOf(personId)
  await ctx.timeZones.removeOf(personId)
  await ctx.unavailableReports.removeOf(personId)
  // Before the words: otherwise a further member could get the note.
  await ctx.groupAssignments.eraseWords(personId)
  await assignments.eraseWords(personId)
  await assignmentChanges.eraseReasons(personId)
  await ctx.outbox.transaction(tx => ctx.groups.removePerson(personId, tx.session))
}
