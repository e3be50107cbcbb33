import type { CommentReview, Reply } from '@watchline/contracts/engagement'
import { type ReactNode, useState } from 'react'
import { RelativeTime } from '../../ui/dates/relative-time.tsx'
import { RoleBadge } from '../../ui/people/role-badge.tsx'
import { CommentActions } from './comment-actions.tsx'
import { CommentEditor } from './comment-editor.tsx'
import styles from './comments.module.css'
import { draftOfEdit, readDraft } from './draft-store.ts'

interface CommentBodyProps {
  comment: Reply
  /** The viewer. */
  personId: string
  position?: ReactNode
}

/** A comment or a reply: author, text, review, and what the viewer may do with it. */
export function CommentBody({ comment, personId, position }: CommentBodyProps) {
  const { user_name, user_role, created_at, edited_at, review, hidden } = comment
  const [editing, setEditing] = useState(() => readDraft(draftOfEdit(personId, comment.id)).text !== '')
  return (
    <>
      <div className={styles.head}>
        <span className={styles.author} title={user_name}>
          {user_name}
        </span>
        <RoleBadge role={user_role} />
        {position}
        <span className={styles.date}>
          <RelativeTime time={created_at} />
          {edited_at ? ' · edited' : null}
        </span>
      </div>
      {editing ? (
        <CommentEditor comment={comment} personId={personId} onClose={() => setEditing(false)} />
      ) : (
        <p className={styles.words} dir="auto">
          {comment.comment}
        </p>
      )}
      {review ? <Review review={review} /> : null}
      {hidden ? (
        <p className={styles.kept}>
          Hidden by {hidden.user_name}:{' '}
          {comment.may_delete ? 'only you and your superiors see' : 'the team no longer sees'} this comment.
        </p>
      ) : null}
      {editing ? null : <CommentActions comment={comment} onEdit={() => setEditing(true)} />}
    </>
  )
}

/** The supervisor's decision and words. Only its author sees a rejected comment. */
function Review({ review: { approved, comment, user_name, user_role, reviewed_at } }: { review: CommentReview }) {
  return (
    <div className={styles.answer}>
      <div className={styles.head}>
        <strong className={styles.mark} data-approved={approved}>
          <span aria-hidden="true">{approved ? '✓' : '✕'}</span> {approved ? 'Approved' : 'Rejected'}
        </strong>
        <span className={styles.author} title={user_name}>
          {user_name}
        </span>
        <RoleBadge role={user_role} />
        <span className={styles.date}>
          <RelativeTime time={reviewed_at} />
        </span>
      </div>
      {comment ? (
        <p className={styles.words} dir="auto">
          {comment}
        </p>
      ) : null}
      {approved ? null : <p className={styles.kept}>Only you see this comment.</p>}
    </div>
  )
}
