import type { ActivityGroup, NamedPerson } from './activity.ts'
import { formatDueDate } from './due-date.ts'

export interface NotificationText {
  title: string
  message: string
}

const shownNames = 2
const quotedCharacters = 300

/** The text about one activity, or about many in one sentence. */
export function composeNotificationText(group: ActivityGroup): NotificationText {
  const { kind, people, count, activityCount, playlist, video, text, reason, positive } = group
  const names = listNames(people)
  const isGrouped = activityCount > 1
  const videoTitle = video ? `“${video.title}”` : 'a video'
  const playlistTitle = playlist ? `“${playlist.title}”` : 'a playlist'
  const time = formatPosition(group.timestamp)
  switch (kind) {
    case 'comment_to_approve':
      return { title: 'New comment', message: `${names} at ${time} in ${videoTitle}: “${shortenQuote(text)}”` }
    case 'comment_reviewed': {
      const verb = positive ? 'approved' : 'rejected'
      return {
        title: `Comment ${verb}`,
        message: `${names} ${verb} your comment at ${time} in ${videoTitle}${endWith(text)}`,
      }
    }
    case 'comment_replied':
      return isGrouped
        ? { title: 'New replies', message: `${names} replied to your comments ${count} times.` }
        : {
            title: 'New reply',
            message: `${names} replied to your comment at ${time} in ${videoTitle}.`,
          }
    case 'comments_moved': {
      const comments = `${count} ${count === 1 ? 'comment that waits' : 'comments that wait'} for a review`
      return {
        title: 'Comments to review moved',
        message: text
          ? `${names} moved to the team of ${text}, who now reviews ${comments}.`
          : `${names} left your team with ${comments}. The next supervisor reviews ${count === 1 ? 'it' : 'them'}.`,
      }
    }
    case 'video_completed':
      return isGrouped
        ? { title: 'Videos completed', message: `${names} completed ${count} videos.` }
        : { title: 'Video completed', message: `${names} completed ${videoTitle}.` }
    case 'playlist_completed':
      return isGrouped
        ? { title: 'Playlists completed', message: `${names} completed ${count} playlists.` }
        : { title: 'Playlist completed', message: `${names} completed all of ${playlistTitle}.` }
    case 'integrity':
      return {
        title: nameIntegrityNotes(group.notes ?? {}),
        message: `${names}${isGrouped ? '' : `, ${videoTitle}`}: ${listReasons(group.notes ?? {})}.`,
      }
    case 'video_unavailable':
      if (isGrouped)
        return {
          title: 'Videos cannot be played',
          message: `${count} videos could not be played. Please look at your playlists.`,
        }
      return {
        title: 'A video cannot be played',
        message: positive
          ? `${videoTitle} of ${playlistTitle} cannot be played. It is left out of what has to be watched.`
          : `${videoTitle} of ${playlistTitle} could not be played for ${names}. Until you decide, it still has to be watched. Please try it, then choose in the playlist whether it counts as unavailable.`,
      }
    case 'task_assigned':
      return isGrouped
        ? { title: 'New tasks', message: `${count} playlists were assigned to you.` }
        : {
            title: 'New task',
            message: `${names} assigned ${playlistTitle} to you.${text ? ` It is due on ${text}.` : ''}${
              group.note ? ` Note: “${shortenQuote(group.note)}”` : ''
            }`,
          }
    case 'task_recurred':
      return isGrouped
        ? { title: 'Tasks due again', message: `${count} of your recurring tasks are due again.` }
        : { title: 'Task due again', message: `${playlistTitle} is due again on ${text}. Please watch it again.` }
    case 'due_date_changed':
      if (people.length === 0) return describeDueWithoutAuthor(group, playlistTitle)
      if (isGrouped)
        return { title: 'Due dates changed', message: `${names} changed due dates of your tasks ${count} times.` }
      return text
        ? {
            title: 'Due date changed',
            message: `${names} changed the due date of ${playlistTitle} to ${text}${endWith(reason)}`,
          }
        : {
            title: 'Due date removed',
            message: `${names} removed the due date of ${playlistTitle}${endWith(reason)}`,
          }
    case 'terms_changed':
      if (people.length === 0) return describeTermsWithoutAuthor(group, playlistTitle)
      return isGrouped
        ? { title: 'Terms changed', message: `${names} changed terms of your tasks ${count} times.` }
        : {
            title: 'Terms changed',
            message: `${names} changed the terms of ${playlistTitle}. Now: ${text}${
              reason ? `. Reason: “${shortenQuote(reason)}”` : '.'
            }`,
          }
    case 'task_exempted':
      return isGrouped
        ? { title: 'Tasks not required', message: `${names} exempted you from ${count} tasks.` }
        : { title: 'Task not required', message: `${names} exempted you from ${playlistTitle}${endWith(text)}` }
    case 'task_marked_done':
      return isGrouped
        ? { title: 'Tasks marked as done', message: `${names} marked ${count} of your tasks as done by hand.` }
        : {
            title: 'Task marked as done',
            message: `${names} marked ${playlistTitle} as done by hand${endWith(text)}`,
          }
    case 'override_taken_back':
      return isGrouped
        ? { title: 'Tasks required again', message: `${names} made ${count} of your tasks required again.` }
        : { title: 'Task required again', message: `${names} made ${playlistTitle} required again${endWith(text)}` }
    case 'task_reset':
      return isGrouped
        ? {
            title: 'Tasks to start again',
            message: `${names} reset ${count} of your tasks. They start from the beginning.`,
          }
        : {
            title: 'Task to start again',
            message: `${names} reset ${playlistTitle}, which starts from the beginning${endWith(text)}`,
          }
    case 'task_due_soon':
      return isGrouped
        ? { title: 'Tasks due soon', message: `${count} of your tasks are due soon.` }
        : { title: 'Task due soon', message: `${playlistTitle} is due on ${text}.` }
    case 'task_in_grace':
      return isGrouped
        ? {
            title: 'Tasks in their grace period',
            message: `The due dates of ${count} of your tasks have passed. You can still complete them within their grace periods.`,
          }
        : {
            title: 'Task in its grace period',
            message: `${playlistTitle} was due on ${text}. You can still complete it in time until ${group.graceUntil ? formatDueDate(group.graceUntil) : 'the end of its grace period'}.`,
          }
    case 'task_overdue':
      return isGrouped
        ? { title: 'Tasks overdue', message: `${count} of your tasks are overdue.` }
        : { title: 'Task overdue', message: `${playlistTitle} was due on ${text}.` }
    case 'task_escalated': {
      const verb = people.length === 1 ? 'has' : 'have'
      return isGrouped
        ? {
            title: 'Overdue tasks in your teams',
            message: `${names} ${verb} not completed ${count} overdue tasks.`,
          }
        : {
            title: 'Overdue task in your teams',
            message: `${names} has not completed ${playlistTitle}, which was due on ${text}.`,
          }
    }
    case 'task_uncompletable':
      // A notification groups tasks, so it has no text. A mail groups people with one task.
      return isGrouped
        ? {
            title: 'Tasks that cannot be completed',
            message: text
              ? `${listNames(people, count)} cannot complete ${playlistTitle}: ${
                  group.cause === 'no_access' ? 'their accounts are deactivated' : text
                }.`
              : `${count} tasks of your people cannot be completed. Please look at the playlists and people.`,
          }
        : { title: 'A task cannot be completed', message: `${names} cannot complete ${playlistTitle}: ${text}.` }
    case 'task_reminded':
      return isGrouped
        ? { title: 'Reminders', message: `${names} reminded you of ${count} unfinished tasks.` }
        : { title: 'Reminder', message: `${names} reminded you of ${playlistTitle}.` }
    case 'playlist_shared':
      return isGrouped
        ? { title: 'Playlists shared with you', message: `${names} shared ${count} playlists with you.` }
        : { title: 'Playlist shared with you', message: `${names} shared ${playlistTitle} with you.` }
    case 'request_reviewed':
      return positive
        ? { title: 'Request approved', message: `${names} is now one of your supervisors${endWith(text)}` }
        : { title: 'Request rejected', message: `Your request for ${names} was rejected${endWith(text)}` }
    case 'supervisor_requested':
      return isGrouped
        ? { title: 'New requests', message: `${names} requested ${count} supervisors. Please review the requests.` }
        : { title: 'New request', message: `${names} requested ${text || 'a supervisor'}. Please review the request.` }
    case 'administrators_changed':
      return isGrouped
        ? { title: 'Changes of administrators', message: `${names}: ${count} changes of administrators.` }
        : { title: 'Change of administrators', message: `${names} ${administratorChanges[text ?? ''] ?? 'changed'}.` }
    case 'token_reused':
      return {
        title: isGrouped ? 'Copied sign-ins were ended' : 'A copied sign-in was ended',
        message: `Somebody used an old copy of your sign-in${text ? ` from ${text}` : ''}, so Watchline ended it everywhere. If you restored a browser or a computer, sign in again. Otherwise look at your open sign-ins and tell your administrator.`,
      }
    case 'manager_changed':
      return positive
        ? {
            title: 'You have a manager',
            message: `${names} is now your manager. The Tasks Menu lists the playlists that your manager shares with you. Your own playlists are on the tab Playlists.`,
          }
        : {
            title: 'You no longer have a manager',
            message: 'The Tasks Menu lists your own playlists again.',
          }
  }
}

/**
 * For a change without an author: the groups of the recipient changed. Of several changes, some may
 * have an author.
 */
function describeDueWithoutAuthor({ count, activityCount, text }: ActivityGroup, playlist: string): NotificationText {
  if (activityCount > 1)
    return { title: 'Due dates changed', message: `Due dates of your tasks changed ${count} times.` }
  return text
    ? { title: 'Due date changed', message: `Your groups changed. ${playlist} is due on ${text} now.` }
    : { title: 'Due date removed', message: `Your groups changed. ${playlist} has no due date now.` }
}

function describeTermsWithoutAuthor({ count, activityCount, text }: ActivityGroup, playlist: string): NotificationText {
  const message =
    activityCount > 1
      ? `Terms of your tasks changed ${count} times.`
      : `Your groups changed, and so did the terms of ${playlist}. Now: ${text}.`
  return { title: 'Terms changed', message }
}

/** With `total`, the group has more people than it names. */
function listNames(people: readonly NamedPerson[], total = people.length): string {
  if (people.length === 0) return 'Somebody'
  const listed = people.slice(0, shownNames).map(person => person.name)
  const hidden = total - listed.length
  if (hidden > 0) return `${listed.join(', ')} and ${hidden} ${hidden === 1 ? 'other' : 'others'}`
  return listed.join(' and ')
}

function endWith(text: string | undefined): string {
  return text ? `: “${shortenQuote(text)}”` : '.'
}

/** The beginning of what somebody wrote. */
export function shortenQuote(text = ''): string {
  const characters = [...text]
  return characters.length > quotedCharacters ? `${characters.slice(0, quotedCharacters).join('')}…` : text
}

/** Seconds into a video: 1:15. */
export function formatPosition(timestamp = 0): string {
  const whole = Math.floor(timestamp)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const seconds = String(whole % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`
}

const reasons: Record<string, string> = {
  skipped: 'skipped ahead',
  too_fast: 'played too fast',
  hidden: 'played out of sight',
  elsewhere: 'played in a second session',
  unanswered: 'missed an attention check',
}

/** A missed attention check takes no credit away, so its title does not say so. */
function nameIntegrityNotes(notes: Readonly<Record<string, number>>): string {
  const { unanswered, ...uncredited } = notes
  if (!unanswered) return 'Some watch time was not credited'
  return Object.keys(uncredited).length > 0 ? 'Integrity notes' : 'Attention check missed'
}

/** The most frequent reason comes first. */
function listReasons(notes: Readonly<Record<string, number>>): string {
  return Object.entries(notes)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([code, times]) => `${reasons[code] ?? code} ${times === 1 ? 'once' : `${times} times`}`)
    .join(', ')
}

/** The act of an administrator in words, by the change of the event. */
const administratorChanges: Record<string, string> = {
  invited: 'invited another administrator',
  joined: 'is now an administrator',
  removed: 'is no longer an administrator',
  second_factor_removed: 'removed a second factor of their sign-in',
}
