import { useEffect } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import {
  type ChatDrafts,
  draftOf,
  draftWritten,
  draftWrittenInOtherTab,
  readDraftChange,
  storeDraft,
} from './chat-drafts.ts'

/** The draft of a room, stored with every key. */
export function useDraft(personId: string, roomId: string) {
  const dispatch = useDispatch()
  const text = useSelector((state: { chatDrafts: ChatDrafts }) => draftOf(state.chatDrafts, { personId, roomId }))
  return {
    text,
    write(next: string) {
      storeDraft({ personId, roomId }, next)
      dispatch(draftWritten({ personId, roomId, text: next }))
    },
  }
}

/** Applies the drafts that other tabs write. */
export function useDraftsOfOtherTabs(): void {
  const dispatch = useDispatch()
  useEffect(() => {
    const applyChange = (event: StorageEvent) => {
      const change = readDraftChange(event)
      if (change) dispatch(draftWrittenInOtherTab(change))
    }
    window.addEventListener('storage', applyChange)
    return () => window.removeEventListener('storage', applyChange)
  }, [dispatch])
}
