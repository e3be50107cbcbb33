/** An unfinished comment on one video. */
export interface StoredDraft {
  text: string
  /** The playback second at the first character. */
  beganAt?: number
  /** The comment belongs to `beganAt` instead of the current second. */
  keepsBeginning?: boolean
  /** A refused comment. If the same text is sent again, it keeps its id. */
  failed?: { text: string; id: string }
}

const empty: StoredDraft = { text: '' }

function keyOf(personId: string, playlistId: string, videoId: string): string {
  return `watchline.comment.${personId}.${playlistId}.${videoId}`
}

/** Drafts survive a reload of this tab. Without storage they live as long as the page. */
export function readDraft(personId: string, playlistId: string, videoId: string): StoredDraft {
  try {
    const stored = window.sessionStorage.getItem(keyOf(personId, playlistId, videoId))
    return stored === null ? empty : (JSON.parse(stored) as StoredDraft)
  } catch {
    return empty
  }
}

export function writeDraft(personId: string, playlistId: string, videoId: string, draft: StoredDraft): void {
  const key = keyOf(personId, playlistId, videoId)
  try {
    if (draft.text === '' && !draft.failed) window.sessionStorage.removeItem(key)
    else window.sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Without storage the draft is only lost on a reload.
  }
}
