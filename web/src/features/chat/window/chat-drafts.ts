import { createSlice, type PayloadAction } from '@reduxjs/toolkit'

/** Unfinished messages by person and room. */
export type ChatDrafts = Readonly<Record<string, string>>

interface DraftKey {
  personId: string
  roomId: string
}

const keyPrefix = 'watchline.chat.draft.'
const keyOf = ({ personId, roomId }: DraftKey) => `${personId}.${roomId}`

const slice = createSlice({
  name: 'chatDrafts',
  initialState: readStoredDrafts,
  reducers: {
    draftWritten: (drafts, { payload: { text, ...draftKey } }: PayloadAction<DraftKey & { text: string }>) =>
      withDraft(drafts, keyOf(draftKey), text),
    /** The draft of another tab replaces this tab's, unless this tab has changed its own. */
    draftWrittenInOtherTab: (
      drafts,
      { payload: { key, before, text } }: PayloadAction<{ key: string; before: string; text: string }>,
    ) => ((drafts[key] ?? '') === before ? withDraft(drafts, key, text) : drafts),
  },
})

export const { draftWritten, draftWrittenInOtherTab } = slice.actions
export const chatDrafts = slice.reducer

function withDraft(drafts: ChatDrafts, key: string, text: string): ChatDrafts {
  const { [key]: _, ...others } = drafts
  return text === '' ? others : { ...others, [key]: text }
}

export function draftOf(drafts: ChatDrafts, draftKey: DraftKey): string {
  return drafts[keyOf(draftKey)] ?? ''
}

/** Stores the draft, so that it survives a restart of the browser. */
export function storeDraft(draftKey: DraftKey, text: string): void {
  try {
    if (text === '') window.localStorage.removeItem(keyPrefix + keyOf(draftKey))
    else window.localStorage.setItem(keyPrefix + keyOf(draftKey), text)
  } catch {
    // Without storage the draft is only lost on a reload.
  }
}

/** Removes all drafts of a person from this browser. */
export function clearStoredDrafts(personId: string): void {
  try {
    for (const key of Object.keys(window.localStorage))
      if (key.startsWith(`${keyPrefix}${personId}.`)) window.localStorage.removeItem(key)
  } catch {
    // Without storage there are no drafts.
  }
}

function readStoredDrafts(): ChatDrafts {
  try {
    const keys = Object.keys(window.localStorage).filter(key => key.startsWith(keyPrefix))
    return Object.fromEntries(keys.map(key => [key.slice(keyPrefix.length), window.localStorage.getItem(key) ?? '']))
  } catch {
    return {}
  }
}

/** The draft that another tab has changed, with its old and new text. */
export function readDraftChange({ key, oldValue, newValue }: Pick<StorageEvent, 'key' | 'oldValue' | 'newValue'>) {
  if (!key?.startsWith(keyPrefix)) return undefined
  return { key: key.slice(keyPrefix.length), before: oldValue ?? '', text: newValue ?? '' }
}
