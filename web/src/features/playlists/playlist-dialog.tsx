import { Button } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playback'
import { allPlaylists, useListPlaylistsQuery, useListTeamQuery } from '../../api/lists.ts'
import { formatCount, formatDuration, formatPosition } from '../../ui/format.ts'
import { PersonLine } from '../../ui/person-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StackedDialog } from '../../ui/stacked-dialog.tsx'
import { useLasting } from '../../ui/use-lasting.ts'
import { assignableTeam } from './assignable-team.ts'
import styles from './playlists.module.css'

interface PlaylistDialogProps {
  playlist: Playlist | undefined
  onClose: () => void
  onAssign: (playlist: Playlist) => void
  onUnassign: (playlist: Playlist, member: User) => void
  onStart?: (playlistId: string) => void
}

/** One playlist: its videos, whom it is assigned to, and what can be done with it. */
export function PlaylistDialog({ playlist, onClose, ...actions }: PlaylistDialogProps) {
  const shown = useLasting(playlist)
  return (
    <StackedDialog name="playlist" opened={playlist !== undefined} onClose={onClose} size="lg" title={shown?.title}>
      {shown ? <Content opened={shown} {...actions} /> : null}
    </StackedDialog>
  )
}

function Content({
  opened,
  onAssign,
  onUnassign,
  onStart,
}: Omit<PlaylistDialogProps, 'playlist' | 'onClose'> & { opened: Playlist }) {
  // What was clicked may be older than what the list knows by now.
  const { latest } = useListPlaylistsQuery(allPlaylists, {
    selectFromResult: ({ data }) => ({ latest: data?.items.find(({ id }) => id === opened.id) }),
  })
  const playlist = latest ?? opened
  return (
    <div className={styles.stack}>
      {playlist.description ? <p className={styles.description}>{playlist.description}</p> : null}
      <div className={styles.facts}>
        <span>{formatDuration(playlist.total_duration)}</span>
        <span>{formatCount(playlist.videos.length, 'video')}</span>
        <span>
          created <RelativeTime time={playlist.created_at} />
        </span>
      </div>
      <div className={styles.actions}>
        <Button onClick={() => onAssign(playlist)}>Assign</Button>
        {onStart ? (
          <Button variant="default" onClick={() => onStart(playlist.id)}>
            Start Task
          </Button>
        ) : null}
      </div>
      <section aria-label="Videos">
        <h3 className={styles.section}>Videos</h3>
        <ol className={styles.lines}>
          {playlist.videos.map((video, index) => (
            <li key={video.id} className={styles.line}>
              <span className={styles.number}>{index + 1}</span>
              <span className={styles.cut} title={video.title}>
                {video.title}
              </span>
              {video.unavailable ? <span className={styles.unavailable}>Cannot be played</span> : null}
              <span className={styles.dim}>{video.provider === 'youtube' ? 'YouTube' : 'File'}</span>
              <span className={styles.dim}>{formatPosition(video.duration)}</span>
            </li>
          ))}
        </ol>
      </section>
      <Assignees playlist={playlist} onUnassign={onUnassign} />
    </div>
  )
}

function Assignees({ playlist, onUnassign }: { playlist: Playlist } & Pick<PlaylistDialogProps, 'onUnassign'>) {
  const { data } = useListTeamQuery(assignableTeam())
  const assigned = new Set(playlist.assigned_users)
  const members = data?.items.filter(({ id }) => assigned.has(id)) ?? []
  const others = assigned.size - members.length
  return (
    <section aria-label="Assigned to">
      <h3 className={styles.section}>
        Assigned to {assigned.size === 0 ? 'nobody yet' : formatCount(assigned.size, 'person', 'people')}
      </h3>
      <ul className={styles.lines}>
        {members.map(member => (
          <li key={member.id} className={styles.line}>
            <span className={styles.grow}>
              <PersonLine name={member.name} detail={member.email} picture={member.picture} />
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
      {data && others > 0 ? (
        <p className={styles.dim}>
          {members.length > 0 ? 'and ' : ''}
          {formatCount(others, 'person', 'people')} not in this list
        </p>
      ) : null}
    </section>
  )
}
