import type { getMember, MemberAnalytics, PlaylistWatch } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { ResponseOf } from '@watchline/contracts/operation'
import { type ReactNode, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { DrawerBelowDialogs } from '../../ui/controls/stacked-dialog.tsx'
import { formatCount, formatNumber, formatPercent, formatWatchTime } from '../../ui/dates/format.ts'
import { EmptyState, Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import { useLastValue } from '../../ui/hooks/use-last-value.ts'
import listStyles from '../../ui/lists/list.module.css'
import { CompletedVideos, LastActivity, MemberCompletion } from '../../ui/people/member-figures.tsx'
import { UnverifiedMark } from '../../ui/people/unverified-mark.tsx'
import { CertificateButton } from '../../ui/tasks/certificate-button.tsx'
import { DueTime } from '../../ui/tasks/due-date.tsx'
import { SignedRecordButton } from '../../ui/tasks/signed-record-button.tsx'
import { hasCertificate, TaskHistory } from '../../ui/tasks/task-history.tsx'
import { OverrideBadge } from '../../ui/tasks/task-override.tsx'
import styles from './analytics.module.css'
import { useGetMemberQuery } from './analytics-api.ts'
import { VideoDetail } from './video-detail.tsx'

export type MemberDetail = ResponseOf<typeof getMember>

interface MemberDrawerProps {
  /** The member whose detail is open. */
  member: Pick<MemberAnalytics, 'user_id' | 'name' | 'email'> | undefined
  onClose: () => void
  /** The viewer's actions for the member. `leave` closes the panel before another one opens. */
  actions?: ((detail: MemberDetail, leave: () => void) => ReactNode) | undefined
}

/**
 * The side panel with a member's playlists and videos: watched and missing parts, and the time that
 * was not credited, with the reason.
 */
export function MemberDrawer({ member, onClose, actions }: MemberDrawerProps) {
  const shownMember = useLastValue(member)
  const [isLeaving, setLeaving] = useState(false)

  function leave() {
    setLeaving(true)
    onClose()
  }
  return (
    <DrawerBelowDialogs
      opened={member !== undefined}
      onClose={onClose}
      size="lg"
      // The next panel takes the focus.
      returnFocus={!isLeaving}
      onExitTransitionEnd={() => setLeaving(false)}
      title={<span className={styles.drawerTitle}>{shownMember?.name}</span>}
    >
      {shownMember ? (
        <Detail
          key={shownMember.user_id}
          userId={shownMember.user_id}
          email={shownMember.email}
          actions={actions && (shown => actions(shown, leave))}
        />
      ) : null}
    </DrawerBelowDialogs>
  )
}

function Detail({
  userId,
  email,
  actions,
}: { userId: string; email: string } & { actions: ((detail: MemberDetail) => ReactNode) | undefined }) {
  const { data, error, isFetching, refetch } = useGetMemberQuery(
    { params: { userId } },
    { ...usePolling(limits.teamPollMs), refetchOnMountOrArgChange: true },
  )
  const detail = data && (
    <div className={styles.detail}>
      <div className={styles.actions}>
        {actions?.(data)}
        <SignedRecordButton userId={userId} />
      </div>
      <MemberSummary member={data.member} />
      {data.playlists.length === 0 ? (
        <EmptyState title="No playlists yet">
          After a playlist is assigned to {data.member.name}, its videos are listed here.
          {actions ? ' Choose Assign above to begin.' : null}
        </EmptyState>
      ) : (
        data.playlists.map((playlist, index) => (
          <Playlist key={playlist.playlist_id} userId={userId} playlist={playlist} isFirst={index === 0} />
        ))
      )}
      {data.playlists.some(hasNotes) ? <NotesExplanation /> : null}
    </div>
  )
  return (
    <>
      <p className={styles.email}>
        {email} <UnverifiedMark verified={data?.member.email_verified} />
      </p>
      <Loaded
        message="Couldn’t load this person’s watched videos."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonRows rows={4} height={88} />}
      >
        {detail}
      </Loaded>
    </>
  )
}

function MemberSummary({ member }: { member: MemberAnalytics }) {
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
            <CompletedVideos completed={member.completed_videos} total={member.total_videos} />
          </dd>
        </div>
        <div>
          <dt>Last activity</dt>
          <dd>
            <LastActivity time={member.last_activity} />
          </dd>
        </div>
        <div>
          <dt>Integrity notes</dt>
          <dd>{member.notes === 0 ? 'None' : formatNumber(member.notes)}</dd>
        </div>
      </dl>
    </div>
  )
}

/** The latest playlist, and playlists with integrity notes, are expanded from the start. */
function Playlist({ userId, playlist, isFirst }: { userId: string; playlist: PlaylistWatch; isFirst: boolean }) {
  const [isOpen] = useState(isFirst || hasNotes(playlist))
  return (
    <details className={styles.playlist} open={isOpen}>
      <summary className={styles.summary}>
        <h3 className={styles.playlistTitle} title={playlist.title}>
          {playlist.title}
        </h3>
        <span className={`${listStyles.facts} ${styles.summaryFacts}`}>
          {playlist.deleted ? <span>Deleted</span> : null}
          {playlist.override ? <OverrideBadge override={playlist.override} /> : null}
          <span>{playlist.completed ? 'Completed' : formatPercent(playlist.completion_rate)}</span>
          {playlist.due ? <DueTime due={playlist.due} graceUntil={playlist.grace_until} /> : null}
          <span>
            {playlist.completed_videos} of {formatCount(playlist.total_videos, 'video')} completed
          </span>
          <span>watch time {formatWatchTime(playlist.watch_time)}</span>
        </span>
      </summary>
      <TaskHistory playlist={playlist} />
      {hasCertificate(playlist) ? (
        <CertificateButton userId={userId} playlistId={playlist.playlist_id} title={playlist.title} />
      ) : null}
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

function NotesExplanation() {
  return (
    <aside className={styles.about} aria-label="About integrity notes">
      <strong>Notes are signals, not verdicts.</strong> A note says which reported time was not credited and why, or
      that an attention check was not answered in time. A lost connection, a second window or skipping ahead can cause
      one. Ask the person before you draw conclusions. The percentages already leave time out that was not credited.
    </aside>
  )
}
