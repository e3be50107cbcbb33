import { createSlice, type PayloadAction } from '@reduxjs/toolkit'

/** What is being written, by person and room. */
export type ChatDrafts = Readonly<Record<string, string>>

interface Place {
  personId: string
  roomId: string
}

const keyPrefix = 'watchline.chat.draft.'
const keyOf = ({ personId, roomId }: Place) => `${personId}.${roomId}`

const slice = createSlice({
  name: 'chatDrafts',
  initialState: remembered,
  reducers: {
    draftWritten: (drafts, { payload: { words, ...place } }: PayloadAction<Place & { words: string }>) =>
      withDraft(drafts, keyOf(place), words),
    /** In another tab: it counts here as long as nothing else was written here. */
    draftWrittenElsewhere: (
      drafts,
      { payload: { key, before, words } }: PayloadAction<{ key: string; before: string; words: string }>,
    ) => ((drafts[key] ?? '') === before ? withDraft(drafts, key, words) : drafts),
  },
})

export const { draftWritten, draftWrittenElsewhere } = slice.actions
export const chatDrafts = slice.reducer

function withDraft(drafts: ChatDrafts, key: string, words: string): ChatDrafts {
  const { [key]: _, ...others } = drafts
  return words === '' ? others : { ...others, [key]: words }
}

export function draftOf(drafts: ChatDrafts, place: Place): string {
  return drafts[keyOf(place)] ?? ''
}

/** Drafts survive a reload, also of the whole browser. */
export function rememberDraft(place: Place, words: string): void {
  try {
    if (words === '') window.localStorage.removeItem(keyPrefix + keyOf(place))
    else window.localStorage.setItem(keyPrefix + keyOf(place), words)
  } catch {
    // A full or forbidden storage only costs the draft at a reload.
  }
}

function remembered(): ChatDrafts {
  try {
    const keys = Object.keys(window.localStorage).filter(key => key.startsWith(keyPrefix))
    return Object.fromEntries(keys.map(key => [key.slice(keyPrefix.length), window.localStorage.getItem(key) ?? '']))
  } catch {
    return {}
  }
}

/** The draft that another tab has changed, and how. */
export function draftChangeIn({ key, oldValue, newValue }: Pick<StorageEvent, 'key' | 'oldValue' | 'newValue'>) {
  if (!key?.startsWith(keyPrefix)) return undefined
  return { key: key.slice(keyPrefix.length), before: oldValue ?? '', words: newValue ?? '' }
}
