import type { Role } from '@watchline/contracts/people'

/** An act of a member of staff on a comment, with their name and role at that time. */
export interface StaffAct {
  personId: string
  name: string
  role: Role
  at: Date
}

export interface CommentReview extends StaffAct {
  approved: boolean
  /** The words of the reviewer; may be empty. */
  text: string
}

export interface Comment {
  id: string
  playlistId: string
  videoId: string
  personId: string
  /** Name and role of the author when they wrote it. */
  authorName: string
  authorRole: Role
  /** Seconds into the video. */
  timestamp: number
  text: string
  createdAt: Date
  clientId: string | null
  /** The comment that this one answers. A reply has no replies. */
  parentId: string | null
  /** The number of replies that are not deleted. */
  replyCount: number
  /** 1, and one more for each edit. A review is of one revision. */
  revision: number
  editedAt: Date | null
  review: CommentReview | null
  hidden: StaffAct | null
  /** A deleted comment keeps its place and its client id, but no text. */
  deletedAt: Date | null
}

/** A reader of comments, with the authors whose comments they may read and hide. */
export interface CommentViewer {
  personId: string
  /** Contains the reader. Undefined: the comments of everybody. */
  readableAuthors: readonly string[] | undefined
  /** The authors whose comments the person may hide; undefined: everybody's. */
  moderatedAuthors: readonly string[] | undefined
}

/** Nobody may change a text that was reviewed or has replies. */
export function isTextFixed({ review, replyCount }: Pick<Comment, 'review' | 'replyCount'>): boolean {
  return review !== null || replyCount > 0
}

/** Whether a comment that the viewer sees takes replies. */
export function takesReplies({ parentId, deletedAt, review, hidden }: Comment): boolean {
  return parentId === null && !deletedAt && review?.approved !== false && !hidden
}

/**
 * Whether the viewer may read the comment. `visibleTo` of the store states the same rule as a
 * query; test/comment-visibility.test.ts compares them.
 */
export function canRead({ personId, readableAuthors, moderatedAuthors }: CommentViewer, comment: Comment): boolean {
  if (comment.personId === personId) return true
  if (readableAuthors && !readableAuthors.includes(comment.personId)) return false
  if (comment.review?.approved === false) return false
  return comment.hidden === null || (moderatedAuthors?.includes(comment.personId) ?? true)
}

export function canEdit(viewer: CommentViewer, comment: Comment): boolean {
  return canDelete(viewer, comment) && !isTextFixed(comment)
}

export function canDelete(viewer: CommentViewer, { personId, deletedAt }: Comment): boolean {
  return viewer.personId === personId && !deletedAt
}

/** Authors delete their own comments instead. A rejected comment is hidden for good. */
export function canHide({ personId, moderatedAuthors }: CommentViewer, comment: Comment): boolean {
  if (comment.personId === personId || comment.deletedAt || comment.review?.approved === false) return false
  return moderatedAuthors?.includes(comment.personId) ?? true
}
