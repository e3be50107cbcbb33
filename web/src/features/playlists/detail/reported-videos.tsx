import { Button } from '@mantine/core'
import type { Playlist, Video } from '@watchline/contracts/playlists'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import listStyles from '../../../ui/lists/list.module.css'
import styles from '../playlists.module.css'
import { useDismissUnavailableMutation, useReportUnavailableMutation } from '../playlists-api.ts'

interface ReportedVideosProps {
  playlist: Playlist
  onChanged: (playlist: Playlist) => void
}

/** A member of staff decides, so the report has no error code of a player. */
const noPlayerCode = 0

/** The videos that did not play for somebody, until a member of staff decides about each. */
export function ReportedVideos({ playlist, onChanged }: ReportedVideosProps) {
  const reported = playlist.videos.filter(video => video.reported_by !== undefined && !video.unavailable)
  if (reported.length === 0) return null
  return (
    <section aria-label="Reported videos">
      <h3 className={styles.section}>Reported videos</h3>
      <p className={styles.description}>
        These videos did not play for somebody, and could not be checked. They have to be watched until you decide.
      </p>
      <ul className={`${styles.lines} ${styles.reportedVideos}`}>
        {reported.map(video => (
          <ReportedVideo key={video.id} playlist={playlist} video={video} onChanged={onChanged} />
        ))}
      </ul>
    </section>
  )
}

function ReportedVideo({ playlist, video, onChanged }: ReportedVideosProps & { video: Video }) {
  const alerts = useAlerts()
  const { isSending, refusal, send } = useSending()
  const [report] = useReportUnavailableMutation()
  const [dismiss] = useDismissUnavailableMutation()
  const params = { id: playlist.id, videoId: video.id }
  const failure = 'Your decision could not be saved. Please try again.'

  async function countAsUnavailable() {
    const result = await send(() => report({ params, body: { code: noPlayerCode, decided: true } }), failure)
    if (!result) return
    alerts.succeed(`“${video.title}” no longer has to be watched`)
    onChanged({
      ...playlist,
      videos: playlist.videos.map(item => (item.id === video.id ? { ...item, unavailable: true } : item)),
    })
  }

  async function sayItPlays() {
    const changed = await send(() => dismiss({ params }), failure)
    if (!changed) return
    alerts.succeed(`“${video.title}” still has to be watched`)
    onChanged(changed)
  }

  return (
    <li className={`${styles.line} ${styles.reported}`}>
      <span className={styles.reportedTitle}>
        <span className={listStyles.cut} title={video.title}>
          {video.title}
        </span>
        <span className={listStyles.dim}>reported by {formatCount(video.reported_by ?? 0, 'person', 'people')}</span>
      </span>
      <span className={styles.actions}>
        <Button size="xs" variant="default" onClick={countAsUnavailable} data-disabled={isSending}>
          Count it as unavailable
        </Button>
        <Button size="xs" variant="default" onClick={sayItPlays} data-disabled={isSending}>
          It plays
        </Button>
      </span>
      {refusal ? (
        <p role="alert" className={styles.problem}>
          {refusal.message}
        </p>
      ) : null}
    </li>
  )
}
