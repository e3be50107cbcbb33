import { csvLine } from '@watchline/contracts/csv'
import { summarisePlaylist } from './overview.ts'
import type { Playlist } from './playlist.ts'
import { formatMinutes, isoTime } from './summary.ts'
import type { Watches } from './watch-state.ts'

const columns = [
  'name',
  'email',
  'playlist',
  'video',
  'duration_seconds',
  'completion_rate',
  'completed',
  'completed_at',
  'watch_time_seconds',
  'missing',
  'notes',
  'last_updated',
  'playlist_completion_rate',
  'person_completion_rate',
]

/** The first line of every export of watching. */
export const watchHeader = csvLine(columns)

/** A person with what they watched and their completion rate (percent), for an export. */
export interface ExportedPerson {
  person: { name: string; email: string }
  watches: Watches
  overview: { completionRate: number }
}

/** One CSV line for each video of the playlist, removed ones included. */
export function formatWatchLines({ person, watches, overview: member }: ExportedPerson, playlist: Playlist): string[] {
  const { videos, removed, completionRate } = summarisePlaylist(playlist, watches)
  const playlistTitle = playlist.deletedAt === null ? playlist.title : `${playlist.title} (deleted)`.trimStart()
  return [...videos, ...removed].map(overview => {
    const { title, duration, unavailable } = overview.video
    const missing = overview.missing.map(([from, to]) => `${formatMinutes(from)} to ${formatMinutes(to)}`)
    return csvLine([
      person.name,
      person.email,
      playlistTitle,
      removed.includes(overview) ? `${title} (removed)` : title,
      duration,
      unavailable ? null : overview.completionRate,
      unavailable ? 'unavailable' : overview.completed ? 'yes' : 'no',
      isoTime(overview.completedAt),
      overview.watchTime,
      unavailable ? null : missing.join('; '),
      overview.notes.map(note => note.words).join('; '),
      isoTime(overview.lastReportAt),
      completionRate,
      member.completionRate,
    ])
  })
}
