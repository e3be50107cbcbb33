import type { Subscribable } from '../../ui/subscribable.ts'

/** A comment as it is sent. `client_id` makes saying it again harmless. */
export interface CommentDraft {
  playlist_id: string
  video_id: string
  /** Whole seconds. */
  timestamp: number
  comment: string
  client_id: string
}

/** How it ended with one comment: taken, with the id the server gave it, or refused. */
export type CommentOutcome = { taken: true; id: string | undefined } | { taken: false }

/** Where comments are kept until the server has them; one place for the whole session, whatever video is shown. */
export interface CommentOutbox {
  /** Those of this person that the server has not answered yet, oldest first, also of earlier visits. */
  readonly waiting: Subscribable<readonly CommentDraft[]>
  readonly online: Subscribable<boolean>
  send(draft: CommentDraft): void
  /** Tells of each comment once it is taken or refused; then it no longer waits. */
  onOutcome(listener: (draft: CommentDraft, outcome: CommentOutcome) => void): () => void
}
