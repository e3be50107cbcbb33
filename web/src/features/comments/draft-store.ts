import type { CommentBody } from './comment-outbox.ts'

/** An unfinished comment on one video, or an unfinished reply. */
export interface StoredDraft {
  text: string
  /** The playback second at the first character. */
  beganAt?: number
  /** The comment belongs to `beganAt` instead of the current second. */
  keepsBeginning?: boolean
  /** A refused text. If the same text is sent again, it keeps its id. */
  failed?: { text: string; id: string }
}

const empty: StoredDraft = { text: '' }

export function draftOfComment(personId: string, playlistId: string, videoId: string): string {
  return `watchline.comment.${personId}.${playlistId}.${videoId}`
}

export function draftOfReply(personId: string, commentId: string): string {
  return `watchline.reply.${personId}.${commentId}`
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
 * Gives the text of a refused comment or reply back as a draft, before what was written since.
 * Answers the draft.
 */
export function restoreDraft(personId: string, body: CommentBody): StoredDraft {
  const failed = { text: body.comment, id: body.client_id }
  if (body.reply_to) {
    const reply = { text: body.comment, failed }
    writeDraft(draftOfReply(personId, body.reply_to), reply)
    return reply
  }
  const key = draftOfComment(personId, body.playlist_id, body.video_id)
  const current = readDraft(key)
  const text = current.text.trim() ? `${body.comment}\n${current.text}` : body.comment
  const draft = { text, failed, beganAt: body.timestamp, keepsBeginning: true }
  writeDraft(key, draft)
  return draft
}
