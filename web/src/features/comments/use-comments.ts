import type { Comment } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef, useState } from 'react'
import { usePolling } from '../../api/polling.ts'
import { useSubscribable } from '../../ui/hooks/use-subscribable.ts'
import type { CommentBody, CommentOutbox } from './comment-outbox.ts'
import { commentsOf, useListCommentsQuery } from './comments-api.ts'

/** The video of a region of comments, and the outbox for new ones. */
export interface CommentedVideo {
  playlistId: string
  videoId: string
  outbox: CommentOutbox
}

export type ShownComment = ListedComment | TemporaryComment

/** A comment of the server's list, with the own replies that the list does not have yet. */
export interface ListedComment extends Comment {
  temporary?: false
  unsentReplies: readonly TemporaryComment[]
}

/** An own comment or reply that is unsent, or sent and not yet in the list. */
export interface TemporaryComment {
  temporary: true
  id: string
  comment: string
  timestamp: number
}

interface SentComment {
  draft: CommentBody
  /** The server's id. */
  id: string | undefined
}

/**
 * A page of a video's comments by timestamp. The first one includes own comments that the list does
 * not have yet.
 */
export function useComments({ playlistId, videoId, outbox }: CommentedVideo, cursor?: string) {
  const query = useListCommentsQuery(commentsOf(playlistId, videoId, cursor), {
    ...usePolling(limits.commentPollMs),
    refetchOnMountOrArgChange: true,
  })
  const { error, isFetching, refetch } = query
  // A later page keeps its comments while its cursor changes and after an error: somebody may be
  // writing a reply there.
  const page = cursor ? query.data : query.currentData
  const isEmptied = error !== undefined && !cursor
  const unsent = useSubscribable(outbox.entries)
  const sent = useSentComments(outbox, refetch)
  useEffect(() => {
    if (error) console.warn('comments not loaded, retrying', error)
  }, [error])

  const items = isEmptied ? [] : (page?.items ?? [])
  const listedIds = new Set(items.flatMap(({ id, replies = [] }) => [id, ...replies.map(reply => reply.id)]))
  const own = [
    ...unsent.map(({ call }) => call.body),
    ...sent.filter(({ id }) => !id || !listedIds.has(id)).map(({ draft }) => draft),
  ]
  const unlisted = [...new Map(own.map(draft => [draft.client_id, draft])).values()].filter(
    draft => draft.playlist_id === playlistId && draft.video_id === videoId,
  )
  const temporary = cursor ? [] : unlisted.filter(draft => !draft.reply_to).map(toTemporary)
  const unsentReplies = Map.groupBy(
    unlisted.filter(draft => draft.reply_to),
    draft => draft.reply_to,
  )
  const listed = items.map(comment => ({
    ...comment,
    unsentReplies: unsentReplies.get(comment.id)?.map(toTemporary) ?? [],
  }))
  const shown: ShownComment[] = [...listed, ...temporary].sort((a, b) => a.timestamp - b.timestamp)
  const synced = isEmptied ? 0 : (page?.total ?? items.length)
  return {
    shown,
    synced,
    count: synced + countReplies(items) + unlisted.length,
    /** The number of comments on this page, and where the next one begins. */
    listedCount: items.length,
    nextCursor: page?.nextCursor,
    loaded: page !== undefined,
    failed: error !== undefined,
    error,
    isFetching,
    refetch,
  }
}

function toTemporary({ client_id, comment, timestamp }: CommentBody): TemporaryComment {
  return { temporary: true, id: client_id, comment, timestamp }
}

/** Comments that the server accepted, until a refetch of the list a moment later contains them. */
function useSentComments(outbox: CommentOutbox, refetch: () => { unwrap(): Promise<unknown> }): readonly SentComment[] {
  const [sent, setSent] = useState<readonly SentComment[]>([])
  const reload = useRef(refetch)
  reload.current = refetch
  useEffect(() => {
    const timers = new Set<ReturnType<typeof setTimeout>>()
    const stop = outbox.onAnswered(({ body: draft }, answer) => {
      if (!answer.ok) return
      setSent(before => [...before, { draft, id: answer.data.comment.id }])
      const timer = setTimeout(() => {
        timers.delete(timer)
        void reload
          .current()
          .unwrap()
          .then(
            () => setSent(before => before.filter(comment => comment.draft.client_id !== draft.client_id)),
            () => {},
          )
      }, limits.commentReloadMs)
      timers.add(timer)
    })
    return () => {
      stop()
      for (const timer of timers) clearTimeout(timer)
    }
  }, [outbox])
  return sent
}

function countReplies(items: readonly Comment[]): number {
  return items.reduce((sum, { replies = [] }) => sum + replies.length, 0)
}

/** The number of the video's comments, including the viewer's unsent ones. */
export function useCommentCount(video: CommentedVideo): number {
  const { playlistId, videoId, outbox } = video
  const { currentData, isError } = useListCommentsQuery(commentsOf(playlistId, videoId))
  const unsent = useSubscribable(outbox.entries)
  const own = unsent.filter(
    ({ call: { body: draft } }) => draft.playlist_id === playlistId && draft.video_id === videoId,
  )
  const items = currentData?.items ?? []
  return (isError ? 0 : (currentData?.total ?? items.length) + countReplies(items)) + own.length
}

/** The positions of the video that have comments, in seconds. */
export function useCommentTimes(playlistId: string, videoId: string): number[] {
  const { currentData } = useListCommentsQuery(commentsOf(playlistId, videoId))
  return currentData?.items.map(({ timestamp }) => timestamp) ?? []
}
