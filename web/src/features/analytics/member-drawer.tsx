import { Drawer } from '@mantine/core'
import type { MemberAnalytics, PlaylistWatch } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { formatCount, formatPercent, formatWatchTime } from '../../ui/format.ts'
import listStyles from '../../ui/list.module.css'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import styles from './analytics.module.css'
import { useGetMemberQuery } from './analytics-api.ts'
import { LastActivity, MemberCompletion, Videos } from './member-list.tsx'
import { VideoDetail } from './video-detail.tsx'

interface MemberDrawerProps {
  /** Whose detail is open, by what is known already. */
  member: Pick<MemberAnalytics, 'user_id' | 'name' | 'email'> | undefined
  onClose: () => void
}

/** The side panel with a member's playlists and videos: what was watched, what is missing, what was not credited and why. */
export function MemberDrawer({ member, onClose }: MemberDrawerProps) {
  // While it slides out it goes on showing whom it showed.
  const [last, setLast] = useState(member)
  if (member && member !== last) setLast(member)
  const shown = member ?? last
  return (
    <Drawer
      opened={member !== undefined}
      onClose={onClose}
      size="lg"
      title={<span className={styles.drawerTitle}>{shown?.name}</span>}
    >
      {shown ? <Detail key={shown.user_id} userId={shown.user_id} email={shown.email} /> : null}
    </Drawer>
  )
}

function Detail({ userId, email }: { userId: string; email: string }) {
  const { data, error, isFetching, refetch } = useGetMemberQuery(
    { params: { userId } },
    { ...usePolling(limits.teamPollMs), refetchOnMountOrArgChange: true },
  )
  const detail = data && (
    <div className={styles.detail}>
      <Head member={data.member} />
      {data.playlists.length === 0 ? (
        <EmptyState title="No playlists yet">
          As soon as a playlist is assigned to {data.member.name}, its videos are listed here.
        </EmptyState>
      ) : (
        data.playlists.map((playlist, index) => (
          <Playlist key={playlist.playlist_id} playlist={playlist} first={index === 0} />
        ))
      )}
      {data.playlists.some(hasNotes) ? <AboutNotes /> : null}
    </div>
  )
  return (
    <>
      <p className={styles.email}>{email}</p>
      {error ? (
        <LoadFailed
          message="What this person has watched could not be loaded. Please try again."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
        >
          {detail}
        </LoadFailed>
      ) : (
        (detail ?? <SkeletonRows rows={4} height={88} />)
      )}
    </>
  )
}

function Head({ member }: { member: MemberAnalytics }) {
  return (
    <div className={styles.head}>
      <MemberCompletion member={member} />
      <dl className={styles.terms}>
        <div>
          <dt>Watch time</dt>
          <dd>{formatWatchTime(member.watch_time)}</dd>
        </div>
        <div>
          <dt>Completed videos</dt>
          <dd>
            <Videos member={member} />
          </dd>
        </div>
        <div>
          <dt>Last activity</dt>
          <dd>
            <LastActivity member={member} />
          </dd>
        </div>
        <div>
          <dt>Integrity notes</dt>
          <dd>{member.notes === 0 ? 'None' : member.notes.toLocaleString()}</dd>
        </div>
      </dl>
    </div>
  )
}

/** Open from the start where one would look first: the latest, and whatever has notes. */
function Playlist({ playlist, first }: { playlist: PlaylistWatch; first: boolean }) {
  const [open] = useState(first || hasNotes(playlist))
  return (
    <details className={styles.playlist} open={open}>
      <summary className={styles.summary}>
        <h3 className={styles.playlistTitle} title={playlist.title}>
          {playlist.title}
        </h3>
        <span className={`${listStyles.facts} ${styles.summaryFacts}`}>
          {playlist.deleted ? <span>Deleted</span> : null}
          <span>{playlist.completed ? 'Completed' : formatPercent(playlist.completion_rate)}</span>
          <span>
            {playlist.completed_videos} of {formatCount(playlist.total_videos, 'video')} completed
          </span>
          <span>{formatWatchTime(playlist.watch_time)} watched</span>
        </span>
      </summary>
      {playlist.videos.length === 0 ? <p className={listStyles.dim}>This playlist has no videos.</p> : null}
      <ol className={styles.videos}>
        {playlist.videos.map(video => (
          <li key={video.video_id} className={styles.video}>
            <VideoDetail video={video} />
          </li>
        ))}
      </ol>
    </details>
  )
}

function hasNotes({ videos }: PlaylistWatch): boolean {
  return videos.some(({ notes }) => notes.length > 0)
}

function AboutNotes() {
  return (
    <aside className={styles.about} aria-label="About integrity notes">
      <strong>Notes are signals, not verdicts.</strong> They say which reported time was not credited and why. A lost
      connection, a second window or a look ahead can all leave one. Ask before you conclude; the percentages already
      leave this time out.
    </aside>
  )
}
