import { useEffect, useRef } from 'react'
import { formatPosition } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RoleBadge } from '../../ui/role-badge.tsx'
import styles from './comments.module.css'
import type { ShownComment } from './use-comments.ts'

interface CommentListProps {
  comments: readonly ShownComment[]
  online: boolean
  onSeek: (seconds: number) => void
}

export function CommentList({ comments, online, onSeek }: CommentListProps) {
  const list = useRef<HTMLElement>(null)
  const latest = comments.findLast(({ temporary }) => temporary)?.id

  // A comment that was just sent scrolls into view. The page itself does not move.
  useEffect(() => {
    const item = latest && list.current?.querySelector<HTMLElement>(`[data-id="${latest}"]`)
    if (item && list.current) list.current.scrollTop = item.offsetTop - list.current.offsetTop
  }, [latest])

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section ref={list} className={styles.list} tabIndex={0} aria-label="Comments on this video">
      <ul>
        {comments.map(comment => (
          <li key={comment.id} data-id={comment.id} className={styles.comment} data-temporary={comment.temporary}>
            <div className={styles.head}>
              <span className={styles.author} title={comment.temporary ? undefined : comment.user_name}>
                {comment.temporary ? 'You' : comment.user_name}
              </span>
              {comment.temporary ? null : <RoleBadge role={comment.user_role} />}
              <button
                type="button"
                className={styles.at}
                aria-label={`Go to ${formatPosition(comment.timestamp)}`}
                onClick={() => onSeek(comment.timestamp)}
              >
                {formatPosition(comment.timestamp)}
              </button>
              <span className={styles.date}>
                {comment.temporary ? 'Sending...' : <RelativeTime time={comment.created_at} />}
              </span>
            </div>
            <p className={styles.words} dir="auto">
              {comment.comment}
            </p>
            {comment.temporary && !online ? (
              <p className={styles.kept}>Kept on this device; it is sent when you are back online.</p>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  )
}
