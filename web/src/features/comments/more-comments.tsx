import { Button } from '@mantine/core'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { formatNumber } from '../../ui/dates/format.ts'
import { LoadFailed, SkeletonRows } from '../../ui/feedback/states.tsx'
import { useSubscribable } from '../../ui/hooks/use-subscribable.ts'
import { CommentList } from './comment-list.tsx'
import { type CommentedVideo, useComments } from './use-comments.ts'

interface MoreCommentsProps {
  /** Undefined if the page before is the last one at the moment. */
  cursor: string | undefined
  /** The number of comments on the pages before. */
  listedBefore: number
  personId: string
  video: CommentedVideo
  onSeek: (seconds: number) => void
}

/**
 * The comments after those on the page before, once the person asks for them. An opened page stays
 * open when the cursor changes or ends, because a reply that is being written would be lost.
 */
export function MoreComments({ cursor, ...props }: MoreCommentsProps) {
  const [openedCursor, setOpenedCursor] = useState<string>()
  if (openedCursor) return <NextComments {...props} cursor={cursor ?? openedCursor} />
  if (!cursor) return null
  return (
    <Button variant="default" size="xs" mt="sm" onClick={() => setOpenedCursor(cursor)}>
      Show more comments
    </Button>
  )
}

function NextComments({ cursor, listedBefore, personId, video, onSeek }: MoreCommentsProps & { cursor: string }) {
  const comments = useComments(video, cursor)
  const online = useSubscribable(video.outbox.online)
  const failed = comments.failed ? (
    <LoadFailed
      message="Couldn’t load more comments."
      failure={asFailure(comments.error)}
      onRetry={() => comments.refetch()}
      retrying={comments.isFetching}
    />
  ) : null
  if (!comments.loaded) return failed ?? <SkeletonRows rows={2} height={64} />
  const listed = listedBefore + comments.listedCount
  return (
    <>
      {failed}
      {comments.shown.length > 0 ? (
        <CommentList
          label={`Comments from number ${formatNumber(listedBefore + 1)} on`}
          comments={comments.shown}
          addedId={undefined}
          personId={personId}
          video={video}
          online={online}
          onSeek={onSeek}
        />
      ) : null}
      <MoreComments
        cursor={comments.nextCursor}
        listedBefore={listed}
        personId={personId}
        video={video}
        onSeek={onSeek}
      />
    </>
  )
}
