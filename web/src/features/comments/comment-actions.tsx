import { Button } from '@mantine/core'
import type { Reply } from '@watchline/contracts/engagement'
import { asFailure } from '../../api/failure.ts'
import { UndoableButton } from '../../ui/controls/undoable-button.tsx'
import { useUndoableCall } from '../../ui/controls/use-undoable-call.ts'
import { formatPosition } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import styles from './comments.module.css'
import { useDeleteCommentMutation, useHideCommentMutation } from './comments-api.ts'

/**
 * Buttons for what the viewer may do with a comment. Deleting and hiding can be undone for a few
 * seconds.
 */
export function CommentActions({ comment, onEdit }: { comment: Reply; onEdit: () => void }) {
  const { id, user_name, timestamp, hidden, may_edit, may_delete, may_hide } = comment
  const alerts = useAlerts()
  const [remove] = useDeleteCommentMutation()
  const [hide, hiding] = useHideCommentMutation()
  const deletion = useUndoableCall(deleteIt)
  const concealment = useUndoableCall(() => setHidden(true))
  const subject = `the comment of ${user_name} at ${formatPosition(timestamp)}`

  async function deleteIt() {
    const { error } = await remove({ params: { id } })
    if (error) alerts.fail('The comment could not be deleted. Please try again.', asFailure(error))
  }

  async function setHidden(isHidden: boolean) {
    const { error } = await hide({ params: { id }, body: { hidden: isHidden } })
    if (error) alerts.fail('The comment could not be changed. Please try again.', asFailure(error))
  }

  if (!may_edit && !may_delete && !may_hide) return null
  return (
    <div className={styles.actions}>
      {may_edit && !deletion.isBusy ? (
        <Button size="compact-xs" variant="subtle" onClick={onEdit}>
          Edit<span className="wl-hidden"> {subject}</span>
        </Button>
      ) : null}
      {may_delete ? (
        <UndoableButton call={deletion} size="compact-xs" variant="subtle" progressLabel="Deleting…" subject={subject}>
          Delete
        </UndoableButton>
      ) : null}
      {may_hide && !hidden ? (
        <UndoableButton call={concealment} size="compact-xs" variant="subtle" progressLabel="Hiding…" subject={subject}>
          Hide
        </UndoableButton>
      ) : null}
      {may_hide && hidden ? (
        <Button size="compact-xs" variant="subtle" loading={hiding.isLoading} onClick={() => setHidden(false)}>
          Show again<span className="wl-hidden"> {subject}</span>
        </Button>
      ) : null}
    </div>
  )
}
