import type { EventData } from '@watchline/contracts/events'
import type { Comment } from './comments.ts'

export type CommentTitles = Pick<EventData<'comment.added'>, 'playlist_title' | 'video_title'>

/** A comment as its events carry it. */
export function toCommentEvent(comment: Comment, titles: CommentTitles): EventData<'comment.added'> {
  return {
    comment_id: comment.id,
    person_id: comment.personId,
    playlist_id: comment.playlistId,
    video_id: comment.videoId,
    timestamp: comment.timestamp,
    text: comment.text,
    ...titles,
  }
}
