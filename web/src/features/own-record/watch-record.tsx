import type { PlaylistWatch, VideoWatch } from '@watchline/contracts/engagement'
import { describeMissing, explainNote } from '../../ui/describe-video-watch.ts'
import { formatCount, formatDate, formatPercent, formatPosition, formatWatchTime } from '../../ui/format.ts'
import { EmptyState } from '../../ui/states.tsx'
import styles from './own-record.module.css'

/** The person's own watch record: one row a video, below the heading of its playlist. */
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
      <table className={styles.table}>
        <thead>
          <tr>
            {['Video', 'Length', 'Credited', 'Completed', 'Watch time', 'Missing', 'Last watched'].map(name => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {playlists.map(playlist => (
          <PlaylistRows key={playlist.playlist_id} playlist={playlist} />
        ))}
      </table>
    </section>
  )
}

function PlaylistRows({ playlist }: { playlist: PlaylistWatch }) {
  const { title, deleted, completed_videos: completed, total_videos: total, completion_rate: rate } = playlist
  return (
    <tbody>
      <tr>
        <th colSpan={7} scope="rowgroup" className={styles.playlist}>
          {title}
          <span className={styles.dim}>
            {deleted ? ' · deleted' : ''} · {formatPercent(rate)} · {completed} of {formatCount(total, 'video')}{' '}
            completed
          </span>
        </th>
      </tr>
      {playlist.videos.map(video => (
        <VideoRow key={video.video_id} video={video} />
      ))}
    </tbody>
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
      <td>{formatPosition(video.duration)}</td>
      <td>{formatPercent(video.completion_rate)}</td>
      <td>{video.completed_at ? formatDate(video.completed_at) : video.completed ? 'Yes' : 'No'}</td>
      <td>{formatWatchTime(video.watch_time)}</td>
      <td className={styles.words}>
        {isOut ? '–' : describeMissing(video)}
        {video.notes.map(note => (
          <span key={note.code} className={styles.note}>
            {explainNote(note)}
          </span>
        ))}
      </td>
      <td>{video.last_updated ? formatDate(video.last_updated) : '–'}</td>
    </tr>
  )
}
