import { skipToken } from '@reduxjs/toolkit/query'
import { useMemo, useState } from 'react'
import { onTakenOver } from '../api/live-hints.ts'
import { useGetWatchedQuery } from '../api/playlist-watch.ts'
import { CommentBadge } from '../features/comments/comment-badge.tsx'
import { useCommentOutbox } from '../features/comments/comment-outbox.ts'
import { CommentsCard } from '../features/comments/comments-card.tsx'
import { useCommentTimes } from '../features/comments/use-comments.ts'
import { NoticeGate } from '../features/monitoring-notice/notice-gate.tsx'
import { type PlayerApi, playerApi } from '../features/player/player-api.ts'
import { MonitoredSession, type MonitoredSessionProps } from '../features/player/session/monitored-session.tsx'
import type { SessionContext } from '../features/player/session/session-context.ts'
import { CreditProvider } from '../features/watch-credit/credit-context.tsx'
import { CreditedRangesCard } from '../features/watch-credit/credited-ranges-card.tsx'
import { OverallProgress } from '../features/watch-credit/overall-progress.tsx'
import { PlaylistEnd } from '../features/watch-credit/playlist-end.tsx'
import { SeekStrip } from '../features/watch-credit/seek-strip.tsx'
import { VideoList } from '../features/watch-credit/video-list.tsx'

interface SessionScreenProps
  extends Omit<
    MonitoredSessionProps,
    | 'api'
    | 'comments'
    | 'creditedRanges'
    | 'maxRate'
    | 'commentBadge'
    | 'onTakenOver'
    | 'progress'
    | 'renderVideos'
    | 'seekStrip'
    | 'wrap'
  > {
  /** Called after the viewer has closed the message at the end of the playlist. */
  onComplete: () => void
}

/**
 * The monitored session. If the server does not start it before the person has read the
 * organisation's notice, the notice takes its place.
 */
export function SessionScreen(props: SessionScreenProps) {
  const [isNoticeShown, setIsNoticeShown] = useState(false)
  const api = useMemo(() => watchRefusals(() => setIsNoticeShown(true)), [])
  if (isNoticeShown) return <NoticeGate onAccepted={() => setIsNoticeShown(false)} onLeave={props.onBack} />
  return <OpenSession api={api} {...props} />
}

/** Reports when a session did not start because of the notice. */
function watchRefusals(onNotice: () => void): PlayerApi {
  return {
    ...playerApi,
    send: async (call, options) => {
      const answer = await playerApi.send(call, options)
      if (!answer.ok && answer.code === 'notice_unanswered') onNotice()
      return answer
    },
  }
}

/** With the video's comments and the credited ranges. */
function OpenSession({ onComplete, ...props }: SessionScreenProps & { api: PlayerApi }) {
  const personId = props.person.id
  const outbox = useCommentOutbox(props.playlist?.videos.length ? personId : undefined)
  const playlistId = props.playlist?.id
  const { maxRate } = useGetWatchedQuery(playlistId === undefined ? skipToken : { params: { playlistId } }, {
    selectFromResult: ({ data }) => ({ maxRate: data?.max_playback_rate }),
  })
  return (
    <MonitoredSession
      maxRate={maxRate}
      comments={({ playlist, videoId, shownSecond, position, seek }) =>
        outbox ? (
          <CommentsCard
            personId={personId}
            playlistId={playlist.id}
            videoId={videoId}
            outbox={outbox}
            shownSecond={shownSecond}
            position={position}
            seek={seek}
          />
        ) : null
      }
      commentBadge={({ playlist, videoId }) =>
        outbox ? <CommentBadge playlistId={playlist.id} videoId={videoId} outbox={outbox} /> : null
      }
      creditedRanges={session => <SessionCreditedRanges session={session} />}
      seekStrip={session => <SessionSeekStrip session={session} />}
      progress={<OverallProgress />}
      renderVideos={(videos, label) => <VideoList videos={videos} label={label} />}
      wrap={(session, screen) => (
        <CreditProvider session={session}>
          {screen}
          <PlaylistEnd onDone={onComplete} backLabel={props.backLabel} />
        </CreditProvider>
      )}
      onTakenOver={onTakenOver}
      {...props}
    />
  )
}

function SessionSeekStrip({ session: { playlist, videoId, videoIndex } }: { session: SessionContext }) {
  const ticks = useCommentTimes(playlist.id, videoId)
  return <SeekStrip videoId={videoId} duration={playlist.videos[videoIndex]?.duration ?? 0} ticks={ticks} />
}

function SessionCreditedRanges({ session: { playlist, videoId } }: { session: SessionContext }) {
  return <CreditedRangesCard videoId={videoId} ticks={useCommentTimes(playlist.id, videoId)} />
}
