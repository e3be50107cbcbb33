import type { Reply } from '@watchline/contracts/engagement'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { CommentTextForm } from './comment-text-form.tsx'
import { useEditCommentMutation } from './comments-api.ts'
import { draftOfEdit, readDraft, writeDraft } from './draft-store.ts'

const problems: Record<string, string> = {
  already_reviewed: 'Somebody has answered this comment, so it can no longer be changed.',
  edited_elsewhere: 'You changed this comment in another window. Your text here is not saved.',
}

interface CommentEditorProps {
  comment: Reply
  personId: string
  onClose: () => void
}

/** Changes the text of an own comment. After a refusal the text stays in the field. */
export function CommentEditor({ comment, personId, onClose }: CommentEditorProps) {
  const draftKey = draftOfEdit(personId, comment.id)
  const [stored] = useState(() => readDraft(draftKey))
  const [text, setText] = useState(stored.text || comment.comment)
  const [problem, setProblem] = useState('')
  // The revision that the author read. A later one of the list must not be overwritten.
  const [revision] = useState(stored.revision ?? comment.revision ?? 1)
  const [edit, { isLoading }] = useEditCommentMutation()

  // Another video or a failed poll removes the list, so the draft is stored with every key.
  function changeText(next: string) {
    setText(next)
    writeDraft(draftKey, { text: next, revision })
  }

  function close() {
    writeDraft(draftKey, { text: '' })
    onClose()
  }

  async function save(trimmed: string) {
    if (trimmed === comment.comment) return close()
    setProblem('')
    const { error } = await edit({ params: { id: comment.id }, body: { comment: trimmed, revision } })
    if (!error) return close()
    const failure = asFailure(error)
    setProblem(problems[failure.code] ?? 'Your change could not be saved. Nothing was lost. Please try again.')
  }

  return (
    <CommentTextForm
      label="Edit your comment"
      submitLabel="Save"
      text={text}
      onChange={changeText}
      onSubmit={save}
      onCancel={close}
      isSending={isLoading}
      problem={problem}
    />
  )
}
