import { Button } from '@mantine/core'
import type { Playlist } from '@watchline/contracts/playlists'
import { allPlaylists, useListPlaylistsQuery } from '../../../api/lists.ts'
import type { Person } from '../../../api/signed-in-person.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatCount, formatDuration } from '../../../ui/dates/format.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { useLastValue } from '../../../ui/hooks/use-last-value.ts'
import listStyles from '../../../ui/lists/list.module.css'
import { Assignees } from '../assign/assignees.tsx'
import type { DueDateSubject } from '../assign/due-date-dialog.tsx'
import type { OverrideSubject } from '../assign/override-dialog.tsx'
import { useIsFullyAssigned } from '../assign/use-fully-assigned.ts'
import styles from '../playlists.module.css'
import { isSharedWith, mayAssign, mayChange, mayShare } from '../rights.ts'
import { VideoList } from '../video-lines.tsx'
import { ReportedVideos } from './reported-videos.tsx'
import { SharedWith } from './shared-with.tsx'
import { useRefresh } from './use-refresh.tsx'

interface PlaylistDialogProps {
  playlist: Playlist | undefined
  person: Person
  onClose: () => void
  onAssign: (playlist: Playlist) => void
  onShare: (playlist: Playlist) => void
  onEdit: (playlist: Playlist) => void
  onDelete: (playlist: Playlist) => void
  onSetDue: (subject: DueDateSubject) => void
  onOverride: (subject: OverrideSubject) => void
  /** Called when a call returned a newer version of the playlist. */
  onChanged: (playlist: Playlist) => void
  onStart?: (playlistId: string) => void
}

/** One playlist: its videos, its people, and the actions on it. */
export function PlaylistDialog({ playlist, onClose, ...content }: PlaylistDialogProps) {
  const shownPlaylist = useLastValue(playlist)
  return (
    <StackedDialog
      name="playlist"
      opened={playlist !== undefined}
      onClose={onClose}
      size="lg"
      title={shownPlaylist?.title}
    >
      {shownPlaylist ? <Content openedPlaylist={shownPlaylist} {...content} /> : null}
    </StackedDialog>
  )
}

type ContentProps = Omit<PlaylistDialogProps, 'playlist' | 'onClose'> & { openedPlaylist: Playlist }

function Content({ openedPlaylist, person, ...actions }: ContentProps) {
  const playlist = useLatestPlaylist(openedPlaylist)
  const refresh = useRefresh({ playlist, onRefreshed: actions.onChanged })
  const { source } = playlist
  const canAssign = mayAssign(person)
  const isFullyAssigned = useIsFullyAssigned(playlist, !canAssign)
  const canShare = mayShare(person, playlist)
  return (
    <div className={styles.stack}>
      {isSharedWith(person, playlist) ? <p className={styles.shared}>Shared by your manager</p> : null}
      {playlist.description ? <p className={styles.description}>{playlist.description}</p> : null}
      <div className={listStyles.facts}>
        <span>{formatDuration(playlist.total_duration)}</span>
        <span>{formatCount(playlist.videos.length, 'video')}</span>
        <span>
          created <RelativeTime time={playlist.created_at} inline />
        </span>
        {source ? (
          <span>
            from YouTube, read <RelativeTime time={source.read_at} inline />
          </span>
        ) : null}
      </div>
      <div className={styles.actions}>
        {canAssign ? (
          <Button variant={isFullyAssigned ? 'default' : 'filled'} onClick={() => actions.onAssign(playlist)}>
            Assign
          </Button>
        ) : null}
        {canShare ? <Button onClick={() => actions.onShare(playlist)}>Share</Button> : null}
        {actions.onStart ? (
          <Button variant="default" onClick={() => actions.onStart?.(playlist.id)}>
            {person.role === 'manager' ? 'Watch' : 'Start Task'}
          </Button>
        ) : null}
        {mayChange(person, playlist) ? (
          <>
            <Button variant="default" onClick={() => actions.onEdit(playlist)}>
              Edit
            </Button>
            {source ? refresh.button : null}
            <Button variant="default" onClick={() => actions.onDelete(playlist)}>
              Delete
            </Button>
          </>
        ) : null}
      </div>
      {refresh.state}
      <ReportedVideos playlist={playlist} onChanged={actions.onChanged} />
      <section aria-label="Videos">
        <h3 className={styles.section}>Videos</h3>
        <VideoList videos={playlist.videos} />
      </section>
      {canShare ? <SharedWith playlist={playlist} /> : null}
      {canAssign ? (
        <Assignees playlist={playlist} person={person} onSetDue={actions.onSetDue} onOverride={actions.onOverride} />
      ) : null}
    </div>
  )
}

/**
 * The newer of the opened playlist and the list's version. A change made here is newer than the
 * list.
 */
function useLatestPlaylist(openedPlaylist: Playlist): Playlist {
  const { listedPlaylist } = useListPlaylistsQuery(allPlaylists, {
    selectFromResult: ({ data }) => ({ listedPlaylist: data?.items.find(({ id }) => id === openedPlaylist.id) }),
  })
  return listedPlaylist && listedPlaylist.revision >= openedPlaylist.revision ? listedPlaylist : openedPlaylist
}
