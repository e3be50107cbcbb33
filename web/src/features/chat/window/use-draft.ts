import { useEffect } from 'react'
import { useDispatch, useSelector, useStore } from 'react-redux'
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

/** Adds a prepared text to the draft of a room, below what the person has written there. */
export function useAddToDraft(personId: string) {
  const store = useStore<{ chatDrafts: ChatDrafts }>()
  return (roomId: string, addition: string) => {
    const before = draftOf(store.getState().chatDrafts, { personId, roomId })
    if (before.includes(addition)) return
    const text = before.trim() === '' ? addition : `${before.trimEnd()}\n${addition}`
    storeDraft({ personId, roomId }, text)
    store.dispatch(draftWritten({ personId, roomId, text }))
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
