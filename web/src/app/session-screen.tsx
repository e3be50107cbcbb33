import { onTakenOver } from '../api/live-hints.ts'
import { CommentBadge } from '../features/comments/comment-badge.tsx'
import { useCommentOutbox } from '../features/comments/comment-outbox.ts'
import { CommentsCard } from '../features/comments/comments-card.tsx'
import { useCommentTimes } from '../features/comments/use-comments.ts'
import { CreditedCard } from '../features/credited/credited-card.tsx'
import {
  MonitoringSession,
  type MonitoringSessionProps,
  type SessionContext,
} from '../features/player/session/monitoring-session.tsx'

/** The monitored session with the video's comments and the credited ranges. */
export function SessionScreen(
  props: Omit<MonitoringSessionProps, 'api' | 'comments' | 'credited' | 'commentBadge' | 'onTakenOver'>,
) {
  const personId = props.person.id
  const outbox = useCommentOutbox(props.playlist?.videos.length ? personId : undefined)
  return (
    <MonitoringSession
      comments={({ playlist, videoId, clock, position, seek }) =>
        outbox ? (
          <CommentsCard
            personId={personId}
            playlistId={playlist.id}
            videoId={videoId}
            outbox={outbox}
            clock={clock}
            position={position}
            seek={seek}
          />
        ) : null
      }
      commentBadge={({ playlist, videoId }) =>
        outbox ? <CommentBadge playlistId={playlist.id} videoId={videoId} outbox={outbox} /> : null
      }
      credited={session => <Credited session={session} />}
      onTakenOver={onTakenOver}
      {...props}
    />
  )
}

function Credited({ session }: { session: SessionContext }) {
  const { playlist, videoId, clock, seek, play, pause, latestReport } = session
  const ticks = useCommentTimes(playlist.id, videoId)
  return (
    <CreditedCard
      playlistId={playlist.id}
      videoId={videoId}
      clock={clock}
      seek={seek}
      play={play}
      pause={pause}
      latestReport={latestReport}
      ticks={ticks}
    />
  )
}
