import { csvLine } from '@watchline/contracts/csv'
import type { OverrideKind } from '@watchline/contracts/fields'
import type { Attempt } from './overview.ts'
import type { RecordedPlaylist } from './record/recorded-playlist.ts'
import { creditedSeconds, formatMinutes, isoTime } from './summary.ts'

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
  'override',
  'override_by',
  'override_at',
  'override_reason',
  'credited_seconds',
  'attempt_ended_at',
]

const overrideTexts: Record<OverrideKind, string> = { exempt: 'exempt', marked_done: 'marked as done by hand' }

/** The first line of every export of watching. */
export const watchHeader = csvLine(columns)

/** A person with their completion rate (percent), for an export. */
export interface ExportedPerson {
  person: { name: string; email: string }
  overview: { completionRate: number }
}

/** One CSV line for each video of each attempt, removed videos included. */
export function formatWatchLines(exported: ExportedPerson, playlist: RecordedPlaylist): string[] {
  const { overview, override, earlierAttempts } = playlist
  const { title, deletedAt } = overview.playlist
  const playlistTitle = deletedAt === null ? title : `${title} (deleted)`.trimStart()
  return [
    ...formatAttempt(exported, playlistTitle, overview, [
      override && overrideTexts[override.kind],
      override && (override.by?.name ?? 'Somebody'),
      override?.at ?? null,
      override?.reason ?? null,
    ]),
    ...earlierAttempts.flatMap(attempt => {
      const endedAt = isoTime(attempt.endedAt)
      const end = attempt.endedDue
        ? [`occurrence due ${attempt.endedDue.at}`, null, endedAt, null]
        : ['reset', attempt.by?.name ?? 'Somebody', endedAt, attempt.reason]
      return formatAttempt(exported, playlistTitle, listWatched(attempt), end, endedAt)
    }),
  ]
}

/** Nobody has to watch the other videos of an earlier attempt. */
function listWatched(attempt: Attempt): Attempt {
  return { ...attempt, videos: attempt.videos.filter(({ lastReportAt }) => lastReportAt !== null) }
}

function formatAttempt(
  { person, overview: member }: ExportedPerson,
  playlistTitle: string,
  { videos, removed, completionRate }: Attempt,
  decision: readonly (string | null)[],
  endedAt: string | null = null,
): string[] {
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
      ...decision,
      creditedSeconds(overview.watched),
      endedAt,
    ])
  })
}
