import { useEffect, useRef } from 'react'
import { useKeptFocus } from '../../ui/controls/use-kept-focus.ts'
import { CommentItem, TemporaryItem } from './comment-item.tsx'
import styles from './comments.module.css'
import type { CommentedVideo, ShownComment } from './use-comments.ts'

interface CommentListProps {
  label?: string
  comments: readonly ShownComment[]
  /** The comment that the person has added last, on this screen. */
  addedId: string | undefined
  personId: string
  video: CommentedVideo
  online: boolean
  onSeek: (seconds: number) => void
}

export function CommentList({
  label = 'Comments on this video',
  comments,
  addedId,
  personId,
  video,
  online,
  onSeek,
}: CommentListProps) {
  const list = useRef<HTMLElement>(null)
  const isListed = comments.some(({ id }) => id === addedId)
  useKeptFocus(list)

  // Its place follows its position in the video, so that it may be out of sight.
  useEffect(() => {
    if (!isListed || addedId === undefined) return
    list.current?.querySelector(`[data-id="${addedId}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [addedId, isListed])

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section ref={list} className={styles.list} tabIndex={0} aria-label={label}>
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
