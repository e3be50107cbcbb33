import type { Comment } from '@watchline/contracts/engagement'
import { formatPosition } from '../../ui/format.ts'
import { CommentBody } from './comment-body.tsx'
import { CommentReplies } from './comment-replies.tsx'
import styles from './comments.module.css'
import type { TemporaryComment } from './use-comments.ts'

interface CommentItemProps {
  comment: Comment
  playlistId: string
  videoId: string
  onSeek: (seconds: number) => void
}

/** A comment that the server has, with its review and replies. */
export function CommentItem({ comment, playlistId, videoId, onSeek }: CommentItemProps) {
  return (
    <li data-id={comment.id} className={styles.comment}>
      <CommentBody comment={comment} position={<PositionButton timestamp={comment.timestamp} onSeek={onSeek} />} />
      <CommentReplies comment={comment} playlistId={playlistId} videoId={videoId} />
    </li>
  )
}

/** An own comment that is not in the server's list yet. */
export function TemporaryItem({
  comment: { id, comment, timestamp },
  online,
  onSeek,
}: {
  comment: TemporaryComment
  online: boolean
  onSeek: (seconds: number) => void
}) {
  return (
    <li data-id={id} className={styles.comment} data-temporary>
      <div className={styles.head}>
        <span className={styles.author}>You</span>
        <PositionButton timestamp={timestamp} onSeek={onSeek} />
        <span className={styles.date}>{online ? 'Sending...' : 'Waiting for connection'}</span>
      </div>
      <p className={styles.words} dir="auto">
        {comment}
      </p>
      {online ? null : <p className={styles.kept}>Kept on this device; it is sent when you are back online.</p>}
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
