import type { Comment } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef, useState } from 'react'
import { usePolling } from '../../api/polling.ts'
import { useSubscribable } from '../../ui/use-subscribable.ts'
import type { CommentBody, CommentOutbox } from './comment-outbox.ts'
import { commentsOf, useListCommentsQuery } from './comments-api.ts'

/** What every region of comments is about. */
export interface CommentedVideo {
  playlistId: string
  videoId: string
  outbox: CommentOutbox
}

export type ShownComment = (Comment & { temporary?: false }) | TemporaryComment

/** On its way to the server, or there and not yet in the list. */
export interface TemporaryComment {
  temporary: true
  id: string
  comment: string
  timestamp: number
}

interface Taken {
  draft: CommentBody
  /** As the server calls it. */
  id: string | undefined
}

/** The comments of a video with the viewer's own that the list does not have yet, by their timestamp. */
export function useComments({ playlistId, videoId, outbox }: CommentedVideo) {
  const { currentData, error, isFetching, refetch } = useListCommentsQuery(commentsOf(playlistId, videoId), {
    ...usePolling(limits.commentPollMs),
    refetchOnMountOrArgChange: true,
  })
  const waiting = useSubscribable(outbox.entries)
  const taken = useTaken(outbox, refetch)
  useEffect(() => {
    if (error) console.warn('comments: they could not be loaded', error)
  }, [error])

  const items = error ? [] : (currentData?.items ?? [])
  const known = new Set(items.map(({ id }) => id))
  const own = [
    ...waiting.map(({ call }) => call.body),
    ...taken.filter(({ id }) => !id || !known.has(id)).map(({ draft }) => draft),
  ]
  const temporary = [...new Map(own.map(draft => [draft.client_id, draft])).values()]
    .filter(draft => draft.playlist_id === playlistId && draft.video_id === videoId)
    .map(
      ({ client_id, comment, timestamp }): TemporaryComment => ({ temporary: true, id: client_id, comment, timestamp }),
    )
  const shown: ShownComment[] = [...items, ...temporary].sort((one, other) => one.timestamp - other.timestamp)
  const synced = error ? 0 : (currentData?.total ?? items.length)
  return {
    shown,
    synced,
    count: synced + temporary.length,
    /** More than the list holds. */
    unseen: synced - items.length,
    loaded: currentData !== undefined,
    failed: error !== undefined,
    isFetching,
    refetch,
  }
}

/** Comments the server has taken; they stand in for themselves until the list, asked again after a moment, has them. */
function useTaken(outbox: CommentOutbox, refetch: () => { unwrap(): Promise<unknown> }): readonly Taken[] {
  const [taken, setTaken] = useState<readonly Taken[]>([])
  const reload = useRef(refetch)
  reload.current = refetch
  useEffect(() => {
    const timers = new Set<ReturnType<typeof setTimeout>>()
    const stop = outbox.onAnswered(({ body: draft }, answer) => {
      if (!answer.ok) return
      setTaken(before => [...before, { draft, id: answer.data.comment.id }])
      const timer = setTimeout(() => {
        timers.delete(timer)
        void reload
          .current()
          .unwrap()
          .then(
            () => setTaken(before => before.filter(each => each.draft.client_id !== draft.client_id)),
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
  return taken
}

/** How many comments the video has, the viewer's own on their way included. */
export function useCommentCount(video: CommentedVideo): number {
  const { playlistId, videoId, outbox } = video
  const { currentData, isError } = useListCommentsQuery(commentsOf(playlistId, videoId))
  const waiting = useSubscribable(outbox.entries)
  const own = waiting.filter(
    ({ call: { body: draft } }) => draft.playlist_id === playlistId && draft.video_id === videoId,
  )
  return (isError ? 0 : (currentData?.total ?? currentData?.items.length ?? 0)) + own.length
}

/** The moments of the video that have comments, in seconds. */
export function useCommentTimes(playlistId: string, videoId: string): number[] {
  const { currentData } = useListCommentsQuery(commentsOf(playlistId, videoId))
  return currentData?.items.map(({ timestamp }) => timestamp) ?? []
}
