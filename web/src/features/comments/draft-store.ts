import type { CommentBody } from './comment-outbox.ts'

/** An unfinished comment on one video, an unfinished reply, or an unfinished edit of a comment. */
export interface StoredDraft {
  text: string
  /** The playback second at the first character. */
  beganAt?: number
  /** The comment belongs to `beganAt` instead of the current second. */
  keepsBeginning?: boolean
  /** A refused text. If the same text is sent again, it keeps its id. */
  failed?: { text: string; id: string }
  /** The revision of the edited comment that its author read. */
  revision?: number
}

const empty: StoredDraft = { text: '' }

export function draftOfComment(personId: string, playlistId: string, videoId: string): string {
  return `watchline.comment.${personId}.${playlistId}.${videoId}`
}

export function draftOfReply(personId: string, commentId: string): string {
  return `watchline.reply.${personId}.${commentId}`
}

export function draftOfEdit(personId: string, commentId: string): string {
  return `watchline.edit.${personId}.${commentId}`
}

/** Drafts survive a reload of this tab. Without storage they live as long as the page. */
export function readDraft(key: string): StoredDraft {
  try {
    const stored = window.sessionStorage.getItem(key)
    return stored === null ? empty : (JSON.parse(stored) as StoredDraft)
  } catch {
    return empty
  }
}

export function writeDraft(key: string, draft: StoredDraft): void {
  try {
    if (draft.text === '' && !draft.failed) window.sessionStorage.removeItem(key)
    else window.sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Without storage the draft is only lost on a reload.
  }
}

/**
 * Gives the text of a refused comment or reply back as a draft, before what was written since
 * and before texts that were refused earlier. Answers the draft. A repeated call changes nothing,
 * because two forms hear of a refused reply.
 */
export function restoreDraft(personId: string, body: CommentBody): StoredDraft {
  const { comment, client_id: id, playlist_id, video_id, reply_to } = body
  const key = reply_to ? draftOfReply(personId, reply_to) : draftOfComment(personId, playlist_id, video_id)
  const current = readDraft(key)
  if (current.failed?.id === id) return current
  const draft: StoredDraft = {
    text: current.text.trim() ? `${comment}\n${current.text}` : comment,
    failed: { text: comment, id },
    ...(!reply_to && { beganAt: body.timestamp, keepsBeginning: true }),
  }
  writeDraft(key, draft)
  return draft
}
