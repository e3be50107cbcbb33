/** What is being written about one video. */
export interface StoredDraft {
  text: string
  /** The comment that was refused, word for word: said again, it is the same comment and keeps its id. */
  failed?: { text: string; id: string }
}

const empty: StoredDraft = { text: '' }

function keyOf(personId: string, playlistId: string, videoId: string): string {
  return `watchline.comment.${personId}.${playlistId}.${videoId}`
}

/** Survives a reload of this tab; where storage is refused a draft lives as long as the page. */
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
    // A full or forbidden storage only costs the draft at a reload.
  }
}
