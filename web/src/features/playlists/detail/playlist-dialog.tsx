import { Button } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { allPlaylists, useListPlaylistsQuery, useListTeamQuery } from '../../../api/lists.ts'
import type { Person } from '../../../api/signed-in-person.ts'
import { formatCount, formatDuration } from '../../../ui/format.ts'
import listStyles from '../../../ui/list.module.css'
import { PersonLine } from '../../../ui/person-line.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { StackedDialog } from '../../../ui/stacked-dialog.tsx'
import { useLastValue } from '../../../ui/use-last-value.ts'
import { assignableTeam } from '../assign/assignable-team.ts'
import { useFullyAssigned } from '../assign/use-fully-assigned.ts'
import styles from '../playlists.module.css'
import { isSharedWith, mayAssign, mayChange, mayShare } from '../rights.ts'
import { VideoList } from '../video-lines.tsx'
import { SharedWith } from './shared-with.tsx'
import { useRefresh } from './use-refresh.tsx'

interface PlaylistDialogProps {
  playlist: Playlist | undefined
  person: Person
  onClose: () => void
  onAssign: (playlist: Playlist) => void
  onUnassign: (playlist: Playlist, member: User) => void
  onShare: (playlist: Playlist) => void
  onEdit: (playlist: Playlist) => void
  onDelete: (playlist: Playlist) => void
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
  const isFullyAssigned = useFullyAssigned(!canAssign)
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
          <Button variant={isFullyAssigned(playlist) ? 'default' : 'filled'} onClick={() => actions.onAssign(playlist)}>
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
      <section aria-label="Videos">
        <h3 className={styles.section}>Videos</h3>
        <VideoList videos={playlist.videos} />
      </section>
      {canShare ? <SharedWith playlist={playlist} /> : null}
      {canAssign ? <Assignees playlist={playlist} onUnassign={actions.onUnassign} /> : null}
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

function Assignees({ playlist, onUnassign }: { playlist: Playlist } & Pick<PlaylistDialogProps, 'onUnassign'>) {
  const { data } = useListTeamQuery(assignableTeam())
  const assigneeIds = new Set(playlist.assigned_users)
  const members = data?.items.filter(({ id }) => assigneeIds.has(id)) ?? []
  const unlistedCount = assigneeIds.size - members.length
  return (
    <section aria-label="Assigned to">
      <h3 className={styles.section}>
        Assigned to {assigneeIds.size === 0 ? 'nobody yet' : formatCount(assigneeIds.size, 'person', 'people')}
      </h3>
      <ul className={styles.lines}>
        {members.map(member => (
          <li key={member.id} className={styles.line}>
            <span className={styles.grow}>
              <PersonLine id={member.id} name={member.name} detail={member.email} picture={member.picture} />
            </span>
            <Button
              variant="default"
              size="xs"
              aria-label={`Unassign ${member.name}`}
              onClick={() => onUnassign(playlist, member)}
            >
              Unassign
            </Button>
          </li>
        ))}
      </ul>
      {data && unlistedCount > 0 ? (
        <p className={listStyles.dim}>
          {members.length > 0 ? 'and ' : ''}
          {formatCount(unlistedCount, 'person', 'people')} not in this list
        </p>
      ) : null}
    </section>
  )
}
