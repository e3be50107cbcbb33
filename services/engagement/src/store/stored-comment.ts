import type { Role } from '@watchline/contracts/people'
import type { Comment, CommentReview, StaffAct } from '../rules/comments.ts'

interface StoredStaffAct {
  person_id: string
  name: string
  role: Role
  at: Date
}

export interface StoredReview extends StoredStaffAct {
  approved: boolean
  text: string
}

/** A comment as MongoDB stores it. Versions before reviews and edits stored no optional field. */
export interface StoredComment {
  _id: string
  playlist_id: string
  video_id: string
  person_id: string
  author_name: string
  author_role: Role
  timestamp: number
  text: string
  created_at: Date
  client_id?: string
  /** Absent: 1. */
  revision?: number
  edited_at?: Date
  review?: StoredReview
  hidden?: StoredStaffAct
  deleted_at?: Date
  parent_id?: string
  /** Absent: 0. */
  reply_count?: number
}

export function toStoredComment(comment: Comment): StoredComment {
  return {
    _id: comment.id,
    playlist_id: comment.playlistId,
    video_id: comment.videoId,
    person_id: comment.personId,
    author_name: comment.authorName,
    author_role: comment.authorRole,
    timestamp: comment.timestamp,
    text: comment.text,
    created_at: comment.createdAt,
    ...(comment.clientId !== null && { client_id: comment.clientId }),
    ...(comment.parentId !== null && { parent_id: comment.parentId }),
  }
}

export function fromStoredComment(row: StoredComment): Comment {
  return {
    id: row._id,
    playlistId: row.playlist_id,
    videoId: row.video_id,
    personId: row.person_id,
    authorName: row.author_name,
    authorRole: row.author_role,
    timestamp: row.timestamp,
    text: row.text,
    createdAt: row.created_at,
    clientId: row.client_id ?? null,
    revision: row.revision ?? 1,
    editedAt: row.edited_at ?? null,
    review: row.review ? { ...fromStoredAct(row.review), approved: row.review.approved, text: row.review.text } : null,
    hidden: row.hidden ? fromStoredAct(row.hidden) : null,
    deletedAt: row.deleted_at ?? null,
    parentId: row.parent_id ?? null,
    replyCount: row.reply_count ?? 0,
  }
}

function fromStoredAct({ person_id, name, role, at }: StoredStaffAct): StaffAct {
  return { personId: person_id, name, role, at }
}

export function toStoredAct({ personId, name, role, at }: StaffAct): StoredStaffAct {
  return { person_id: personId, name, role, at }
}

export function toStoredReview(review: CommentReview): StoredReview {
  return { ...toStoredAct(review), approved: review.approved, text: review.text }
}
