import type { PlaylistWatch, VideoWatch } from '@watchline/contracts/engagement'
import { formatCount, formatDate, formatPercent, formatPosition, formatWatchTime } from '../../ui/dates/format.ts'
import { EmptyState } from '../../ui/feedback/states.tsx'
import { describeMissing, explainNote } from '../../ui/progress/describe-video-watch.ts'
import { CertificateButton } from '../../ui/tasks/certificate-button.tsx'
import { hasCertificate, TaskHistory } from '../../ui/tasks/task-history.tsx'
import styles from './own-record.module.css'

const columns = ['Video', 'Length', 'Credited', 'Completed', 'Watch time', 'Missing', 'Last watched']

/** The person's own watch record: a table for each playlist, with one row a video. */
export function WatchRecord({ playlists }: { playlists: readonly PlaylistWatch[] }) {
  if (playlists.length === 0)
    return (
      <EmptyState title="Nothing watched yet">
        Each video of a playlist that is assigned to you is listed here, with what you watched of it.
      </EmptyState>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="Watch record">
      {playlists.map(playlist => (
        <PlaylistTable key={playlist.playlist_id} playlist={playlist} />
      ))}
    </section>
  )
}

function PlaylistTable({ playlist }: { playlist: PlaylistWatch }) {
  const { title, deleted, completed_videos: completed, total_videos: total, completion_rate: rate } = playlist
  return (
    <table className={styles.table}>
      <caption className={styles.playlist}>
        {title}
        <span className={styles.dim}>
          {deleted ? ' · deleted' : ''} · {formatPercent(rate)} · {completed} of {formatCount(total, 'video')} completed
        </span>
        {hasCertificate(playlist) ? (
          <span className={styles.noPrint}>
            {' '}
            <CertificateButton playlistId={playlist.playlist_id} title={title} />
          </span>
        ) : null}
        <TaskHistory playlist={playlist} />
      </caption>
      <thead>
        <tr>
          {columns.map(name => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {playlist.videos.map(video => (
          <VideoRow key={video.video_id} video={video} />
        ))}
      </tbody>
    </table>
  )
}

function VideoRow({ video }: { video: VideoWatch }) {
  const isOut = video.removed ? 'Removed from the playlist' : video.unavailable ? 'Cannot be played' : undefined
  return (
    <tr>
      <th scope="row">
        {video.title}
        {isOut ? <span className={styles.dim}> · {isOut}</span> : null}
      </th>
      <td data-column={columns[1]}>{formatPosition(video.duration)}</td>
      <td data-column={columns[2]}>{formatPercent(video.completion_rate)}</td>
      <td data-column={columns[3]}>
        {video.completed_at ? formatDate(video.completed_at) : video.completed ? 'Yes' : 'No'}
      </td>
      <td data-column={columns[4]}>{formatWatchTime(video.watch_time)}</td>
      <td data-column={columns[5]}>
        <span>{isOut ? '–' : describeMissing(video)}</span>
        {video.notes.map(note => (
          <span key={note.code} className={styles.note}>
            {explainNote(note, video)}
          </span>
        ))}
      </td>
      <td data-column={columns[6]}>{video.last_updated ? formatDate(video.last_updated) : '–'}</td>
    </tr>
  )
}
