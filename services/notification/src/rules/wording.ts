import type { Facts, Named } from './activity.ts'

export interface Wording {
  title: string
  message: string
}

const shownNames = 2
const quotedCharacters = 300

/** What a notification says: about the one thing that happened, or about many in one sentence. */
export function wordingOf(facts: Facts): Wording {
  const { kind, people, count, happenings, playlist, video, text, positive } = facts
  const who = names(people)
  const many = happenings > 1
  const film = video ? `“${video.title}”` : 'a video'
  const list = playlist ? `“${playlist.title}”` : 'a playlist'
  switch (kind) {
    case 'comment_to_approve':
      return { title: 'New comment', message: `${who} at ${clock(facts.timestamp)} in ${film}: “${quoted(text)}”` }
    case 'comment_reviewed':
      return {
        title: positive ? 'Comment approved' : 'Comment rejected',
        message: `${who} ${positive ? 'approved' : 'rejected'} your comment at ${clock(facts.timestamp)} in ${film}${said(text)}`,
      }
    case 'video_completed':
      return {
        title: many ? 'Videos completed' : 'Video completed',
        message: many ? `${who} completed ${count} videos.` : `${who} completed ${film}.`,
      }
    case 'playlist_completed':
      return {
        title: many ? 'Playlists completed' : 'Playlist completed',
        message: many ? `${who} completed ${count} playlists.` : `${who} completed all of ${list}.`,
      }
    case 'integrity':
      return {
        title: 'Not all could be credited',
        message: `${who}${many ? '' : `, ${film}`}: ${reasons(facts.notes ?? {})}.`,
      }
    case 'video_unavailable':
      if (many)
        return {
          title: 'Videos cannot be played',
          message: `${count} videos could not be played. Please look at your playlists.`,
        }
      return {
        title: 'A video cannot be played',
        message: positive
          ? `${film} of ${list} cannot be played. It is left out of what has to be watched.`
          : `${film} of ${list} could not be played for ${who}. Please try it yourself: if it fails for you too, it is left out.`,
      }
    case 'task_assigned':
      return many
        ? { title: 'New tasks', message: `${count} playlists were assigned to you.` }
        : { title: 'New task', message: `${who} assigned ${list} to you.` }
    case 'playlist_shared':
      return many
        ? { title: 'Playlists shared with you', message: `${who} shared ${count} playlists with you.` }
        : { title: 'Playlist shared with you', message: `${who} shared ${list} with you.` }
    case 'request_reviewed':
      return {
        title: positive ? 'Request approved' : 'Request rejected',
        message: positive
          ? `${who} is now one of your supervisors${said(text)}`
          : `Your request for ${who} was rejected${said(text)}`,
      }
  }
}

function names(people: readonly Named[]): string {
  if (people.length === 0) return 'Somebody'
  const shown = people.slice(0, shownNames).map(each => each.name)
  const more = people.length - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more} ${more === 1 ? 'other' : 'others'}`
  return shown.join(' and ')
}

function said(words: string | undefined): string {
  return words ? `: “${quoted(words)}”` : '.'
}

function quoted(words = ''): string {
  const characters = [...words]
  return characters.length > quotedCharacters ? `${characters.slice(0, quotedCharacters).join('')}…` : words
}

function clock(seconds = 0): string {
  const whole = Math.floor(seconds)
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const tail = String(rest).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`
}

const reasonWords: Record<string, string> = {
  skipped: 'skipped ahead',
  too_fast: 'played too fast',
  hidden: 'played out of sight',
  elsewhere: 'played in a second session',
}

function reasons(notes: Readonly<Record<string, number>>): string {
  const told = Object.entries(notes).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  return told
    .map(([code, times]) => `${reasonWords[code] ?? code} ${times === 1 ? 'once' : `${times} times`}`)
    .join(', ')
}
