import { Button } from '@mantine/core'
import { useId, useState } from 'react'
import { EmptyState, SkeletonRows } from '../../ui/feedback/states.tsx'
import type { Subscribable } from '../../ui/hooks/subscribable.ts'
import { useSubscribable } from '../../ui/hooks/use-subscribable.ts'
import { CommentForm } from './comment-form.tsx'
import { CommentList } from './comment-list.tsx'
import styles from './comments.module.css'
import { MoreComments } from './more-comments.tsx'
import { type CommentedVideo, useComments } from './use-comments.ts'

interface CommentsCardProps extends CommentedVideo {
  personId: string
  /** The whole second that the player shows. */
  shownSecond: Subscribable<number>
  position: () => number
  seek: (seconds: number) => void
}

/** The comments of the shown video, and the form for a new one. */
export function CommentsCard({ outbox, shownSecond, position, seek, ...props }: CommentsCardProps) {
  const { personId, playlistId, videoId } = props
  const comments = useComments({ playlistId, videoId, outbox })
  const online = useSubscribable(outbox.online)
  const [open, setOpen] = useState(true)
  const [addedId, setAddedId] = useState<string>()
  const body = useId()
  return (
    <section className={styles.card} aria-labelledby={`${body}-title`}>
      <div className={styles.title}>
        <h2 id={`${body}-title`}>Comments</h2>
        <span className={styles.badge}>
          {comments.count}
          <span className="wl-hidden"> {comments.count === 1 ? 'comment' : 'comments'}</span>
        </span>
        {comments.synced > 0 ? (
          <span className={styles.badge} data-kind="synced">
            {comments.synced} synced
          </span>
        ) : null}
        <Button
          variant="default"
          size="xs"
          ml="auto"
          aria-expanded={open}
          aria-controls={body}
          onClick={() => setOpen(!open)}
        >
          {open ? 'Hide Comments' : 'Show Comments'}
        </Button>
      </div>
      <div id={body} hidden={!open}>
        <CommentForm
          key={`${playlistId} ${videoId}`}
          personId={personId}
          playlistId={playlistId}
          videoId={videoId}
          outbox={outbox}
          shownSecond={shownSecond}
          position={position}
          onAdd={setAddedId}
        />
        {comments.failed ? (
          <div role="status" className={styles.failed}>
            <span>Couldn’t load the comments. Retrying automatically.</span>
            <Button variant="default" size="xs" loading={comments.isFetching} onClick={() => comments.refetch()}>
              Try Again
            </Button>
          </div>
        ) : null}
        {comments.shown.length > 0 ? (
          <CommentList
            personId={personId}
            video={{ playlistId, videoId, outbox }}
            comments={comments.shown}
            addedId={addedId}
            online={online}
            onSeek={seek}
          />
        ) : comments.failed ? null : comments.loaded ? (
          <EmptyState title="No comments yet">Share your thoughts about this video!</EmptyState>
        ) : (
          <SkeletonRows rows={2} height={64} />
        )}
        <MoreComments
          key={`more ${playlistId} ${videoId}`}
          cursor={comments.nextCursor}
          listedBefore={comments.listedCount}
          personId={personId}
          video={{ playlistId, videoId, outbox }}
          onSeek={seek}
        />
      </div>
    </section>
  )
}
