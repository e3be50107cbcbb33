import { useEffect, useRef } from 'react'
import { CommentItem, TemporaryItem } from './comment-item.tsx'
import styles from './comments.module.css'
import type { CommentedVideo, ShownComment } from './use-comments.ts'

interface CommentListProps {
  comments: readonly ShownComment[]
  personId: string
  video: CommentedVideo
  online: boolean
  onSeek: (seconds: number) => void
}

export function CommentList({ comments, personId, video, online, onSeek }: CommentListProps) {
  const list = useRef<HTMLElement>(null)
  const latest = comments.findLast(({ temporary }) => temporary)?.id

  // A comment that was just sent scrolls into view. The page itself does not move.
  useEffect(() => {
    const item = latest && list.current?.querySelector<HTMLElement>(`[data-id="${latest}"]`)
    if (item && list.current) list.current.scrollTop = item.offsetTop
  }, [latest])

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section ref={list} className={styles.list} tabIndex={0} aria-label="Comments on this video">
      <ul>
        {comments.map(comment =>
          comment.temporary ? (
            <TemporaryItem key={comment.id} comment={comment} online={online} onSeek={onSeek} />
          ) : (
            <CommentItem
              key={comment.id}
              comment={comment}
              unsentReplies={comment.unsentReplies}
              personId={personId}
              video={video}
              onSeek={onSeek}
            />
          ),
        )}
      </ul>
    </section>
  )
}
