import type { Comment } from '@watchline/contracts/engagement'
import { formatPosition } from '../../ui/dates/format.ts'
import { CommentBody } from './comment-body.tsx'
import { CommentReplies } from './comment-replies.tsx'
import styles from './comments.module.css'
import { TemporaryBody } from './temporary-body.tsx'
import type { CommentedVideo, TemporaryComment } from './use-comments.ts'

interface CommentItemProps {
  comment: Comment
  unsentReplies: readonly TemporaryComment[]
  personId: string
  video: CommentedVideo
  onSeek: (seconds: number) => void
}

/** A comment that the server has, with its review and replies. */
export function CommentItem({ comment, unsentReplies, personId, video, onSeek }: CommentItemProps) {
  return (
    <li data-id={comment.id} className={styles.comment}>
      <CommentBody
        comment={comment}
        personId={personId}
        position={<PositionButton timestamp={comment.timestamp} onSeek={onSeek} />}
      />
      <CommentReplies comment={comment} unsent={unsentReplies} personId={personId} video={video} />
    </li>
  )
}

interface TemporaryItemProps {
  comment: TemporaryComment
  online: boolean
  onSeek: (seconds: number) => void
}

/** An own comment that is not in the server's list yet. */
export function TemporaryItem({ comment, online, onSeek }: TemporaryItemProps) {
  return (
    <li data-id={comment.id} className={styles.comment} data-temporary>
      <TemporaryBody
        comment={comment}
        online={online}
        position={<PositionButton timestamp={comment.timestamp} onSeek={onSeek} />}
      />
    </li>
  )
}

function PositionButton({ timestamp, onSeek }: { timestamp: number; onSeek: (seconds: number) => void }) {
  return (
    <button
      type="button"
      className={styles.at}
      aria-label={`Go to ${formatPosition(timestamp)}`}
      onClick={() => onSeek(timestamp)}
    >
      {formatPosition(timestamp)}
    </button>
  )
}
