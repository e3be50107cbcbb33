import type { Reply } from '@watchline/contracts/engagement'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { CommentTextForm } from './comment-text-form.tsx'
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

  async function save(trimmed: string) {
    if (trimmed === comment.comment) return onClose()
    setProblem('')
    const { error } = await edit({ params: { id: comment.id }, body: { comment: trimmed, revision } })
    if (!error) return onClose()
    const failure = asFailure(error)
    setProblem(problems[failure.code] ?? 'Your change could not be saved. Nothing was lost. Please try again.')
  }

  return (
    <CommentTextForm
      label="Edit your comment"
      submitLabel="Save"
      text={text}
      onChange={setText}
      onSubmit={save}
      onCancel={onClose}
      isSending={isLoading}
      problem={problem}
    />
  )
}
