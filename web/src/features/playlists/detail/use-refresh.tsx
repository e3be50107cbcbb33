import { Button } from '@mantine/core'
import type { Playlist } from '@watchline/contracts/playlists'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import styles from '../playlists.module.css'
import { useRefreshPlaylistMutation } from '../playlists-api.ts'
import { SlowLoadingNote } from '../slow-note.tsx'
import { describeRefresh } from './describe-refresh.ts'

interface RefreshProps {
  playlist: Playlist
  onRefreshed: (playlist: Playlist) => void
}

/** Reads an imported playlist from YouTube again and reports the changes. */
export function useRefresh({ playlist, onRefreshed }: RefreshProps) {
  const alerts = useAlerts()
  const { isSending, refusal, send } = useSending()
  const [refresh] = useRefreshPlaylistMutation()

  async function refreshPlaylist() {
    const refreshedPlaylist = await send(
      () => refresh({ params: { id: playlist.id } }),
      'The playlist could not be read from YouTube. Please try again.',
    )
    if (!refreshedPlaylist) return
    alerts.succeed('Read from YouTube just now', describeRefresh(playlist, refreshedPlaylist))
    onRefreshed(refreshedPlaylist)
  }

  return {
    button: (
      <Button variant="default" onClick={refreshPlaylist} loading={isSending}>
        Refresh from YouTube
      </Button>
    ),
    state: (
      <>
        <SlowLoadingNote isBusy={isSending}>Reading from YouTube</SlowLoadingNote>
        <p role="alert" className={styles.problem}>
          {refusal && `${refusal.message} The playlist is as it was.`}
        </p>
      </>
    ),
  }
}
