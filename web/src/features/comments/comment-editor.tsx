import { Button } from '@mantine/core'
import type { Reply } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useId, useRef, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import styles from './comments.module.css'
import { useEditCommentMutation } from './comments-api.ts'

const problems: Record<string, string> = {
  already_reviewed: 'Somebody has answered this comment, so it can no longer be changed.',
  edited_elsewhere: 'You changed this comment in another window. Your text here is not saved.',
}

/** Changes the text of an own comment. After a refusal the text stays in the field. */
export function CommentEditor({ comment, onClose }: { comment: Reply; onClose: () => void }) {
  const [text, setText] = useState(comment.comment)
  const [problem, setProblem] = useState('')
  // The revision that the author read. A later one of the list must not be overwritten.
  const [revision] = useState(comment.revision ?? 1)
  const [edit, { isLoading }] = useEditCommentMutation()
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const trimmed = text.trim()
  const excess = trimmed.length - limits.commentMaxLength
  const isValid = trimmed !== '' && excess <= 0

  useEffect(() => field.current?.focus(), [])

  async function save() {
    if (!isValid || isLoading) return
    if (trimmed === comment.comment) return onClose()
    setProblem('')
    const { error } = await edit({ params: { id: comment.id }, body: { comment: trimmed, revision } })
    if (!error) return onClose()
    const failure = asFailure(error)
    setProblem(problems[failure.code] ?? 'Your change could not be saved. Nothing was lost. Please try again.')
  }

  return (
    <form
      className={styles.editor}
      onSubmit={event => {
        event.preventDefault()
        void save()
      }}
    >
      <label htmlFor={id} className={styles.label}>
        Edit your comment
      </label>
      <textarea
        id={id}
        ref={field}
        className={styles.text}
        rows={3}
        dir="auto"
        value={text}
        aria-invalid={excess > 0 || undefined}
        onChange={event => setText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === 'Escape') onClose()
        }}
      />
      {excess > 0 ? <p className={styles.problem}>{excess} characters too many.</p> : null}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.actions}>
        <Button type="submit" size="compact-sm" disabled={!isValid} loading={isLoading}>
          Save
        </Button>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
