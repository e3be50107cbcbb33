import { Button } from '@mantine/core'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { formatNumber } from '../../ui/dates/format.ts'
import { LoadFailed, SkeletonRows } from '../../ui/feedback/states.tsx'
import { useSubscribable } from '../../ui/hooks/use-subscribable.ts'
import { CommentList } from './comment-list.tsx'
import { type CommentedVideo, useComments } from './use-comments.ts'

interface MoreCommentsProps {
  cursor: string
  /** The number of comments on the pages before. */
  listedBefore: number
  personId: string
  video: CommentedVideo
  onSeek: (seconds: number) => void
}

/** The comments after those on the page before, once the person asks for them. */
export function MoreComments(props: MoreCommentsProps) {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return <NextComments {...props} />
  return (
    <Button variant="default" size="xs" mt="sm" onClick={() => setOpen(true)}>
      Show more comments
    </Button>
  )
}

function NextComments({ cursor, listedBefore, personId, video, onSeek }: MoreCommentsProps) {
  const comments = useComments(video, cursor)
  const online = useSubscribable(video.outbox.online)
  if (comments.failed)
    return (
      <LoadFailed
        message="Couldn’t load more comments."
        failure={asFailure(comments.error)}
        onRetry={() => comments.refetch()}
        retrying={comments.isFetching}
      />
    )
  if (!comments.loaded) return <SkeletonRows rows={2} height={64} />
  const listed = listedBefore + comments.listedCount
  return (
    <>
      <CommentList
        label={`Comments from number ${formatNumber(listedBefore + 1)} on`}
        comments={comments.shown}
        addedId={undefined}
        personId={personId}
        video={video}
        online={online}
        onSeek={onSeek}
      />
      {comments.nextCursor ? (
        <MoreComments
          cursor={comments.nextCursor}
          listedBefore={listed}
          personId={personId}
          video={video}
          onSeek={onSeek}
        />
      ) : null}
    </>
  )
}
