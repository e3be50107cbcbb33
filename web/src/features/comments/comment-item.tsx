import type { Comment, CommentReview } from '@watchline/contracts/engagement'
import { useState } from 'react'
import { formatPosition } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RoleBadge } from '../../ui/role-badge.tsx'
import { CommentActions } from './comment-actions.tsx'
import { CommentEditor } from './comment-editor.tsx'
import styles from './comments.module.css'
import type { TemporaryComment } from './use-comments.ts'

interface CommentItemProps {
  comment: Comment
  onSeek: (seconds: number) => void
}

/** A comment that the server has, with its review. */
export function CommentItem({ comment, onSeek }: CommentItemProps) {
  const { id, user_name, user_role, timestamp, created_at, edited_at, review, hidden } = comment
  const [editing, setEditing] = useState(false)
  return (
    <li data-id={id} className={styles.comment}>
      <div className={styles.head}>
        <span className={styles.author} title={user_name}>
          {user_name}
        </span>
        <RoleBadge role={user_role} />
        <PositionButton timestamp={timestamp} onSeek={onSeek} />
        <span className={styles.date}>
          <RelativeTime time={created_at} />
          {edited_at ? ' · edited' : null}
        </span>
      </div>
      {editing ? (
        <CommentEditor comment={comment} onClose={() => setEditing(false)} />
      ) : (
        <p className={styles.words} dir="auto">
          {comment.comment}
        </p>
      )}
      {review ? <Review review={review} /> : null}
      {hidden ? (
        <p className={styles.kept}>
          Hidden by {hidden.user_name}:{' '}
          {comment.may_delete ? 'only you and your superiors see' : 'the team no longer sees'} this comment.
        </p>
      ) : null}
      {editing ? null : <CommentActions comment={comment} onEdit={() => setEditing(true)} />}
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

/** The supervisor's decision and words. Only its author sees a rejected comment. */
function Review({ review: { approved, comment, user_name, user_role, reviewed_at } }: { review: CommentReview }) {
  return (
    <div className={styles.answer}>
      <div className={styles.head}>
        <strong className={styles.mark} data-approved={approved}>
          <span aria-hidden="true">{approved ? '✓' : '✕'}</span> {approved ? 'Approved' : 'Rejected'}
        </strong>
        <span className={styles.author} title={user_name}>
          {user_name}
        </span>
        <RoleBadge role={user_role} />
        <span className={styles.date}>
          <RelativeTime time={reviewed_at} />
        </span>
      </div>
      {comment ? (
        <p className={styles.words} dir="auto">
          {comment}
        </p>
      ) : null}
      {approved ? null : <p className={styles.kept}>Only you see this comment.</p>}
    </div>
  )
}
