import { useEffect } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import {
  type ChatDrafts,
  draftChangeIn,
  draftOf,
  draftWritten,
  draftWrittenElsewhere,
  rememberDraft,
} from './chat-drafts.ts'

/** What is being written in a room, kept with every key. */
export function useDraft(personId: string, roomId: string) {
  const dispatch = useDispatch()
  const words = useSelector((state: { chatDrafts: ChatDrafts }) => draftOf(state.chatDrafts, { personId, roomId }))
  return {
    words,
    write(next: string) {
      rememberDraft({ personId, roomId }, next)
      dispatch(draftWritten({ personId, roomId, words: next }))
    },
  }
}

/** Follows what other tabs write. */
export function useDraftsElsewhere(): void {
  const dispatch = useDispatch()
  useEffect(() => {
    const follow = (event: StorageEvent) => {
      const change = draftChangeIn(event)
      if (change) dispatch(draftWrittenElsewhere(change))
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }, [dispatch])
}
