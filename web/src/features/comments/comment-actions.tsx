import { Button } from '@mantine/core'
import type { Reply } from '@watchline/contracts/engagement'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import { formatPosition } from '../../ui/format.ts'
import styles from './comments.module.css'
import { useDeleteCommentMutation, useHideCommentMutation } from './comments-api.ts'

/** Buttons for the acts that the viewer may perform. A deletion asks first, because it cannot be undone. */
export function CommentActions({ comment, onEdit }: { comment: Reply; onEdit: () => void }) {
  const { id, user_name, timestamp, hidden, may_edit, may_delete, may_hide } = comment
  const alerts = useAlerts()
  const [remove, removal] = useDeleteCommentMutation()
  const [hide, hiding] = useHideCommentMutation()
  const [confirming, setConfirming] = useState(false)
  if (!may_edit && !may_delete && !may_hide) return null
  const subject = ` the comment of ${user_name} at ${formatPosition(timestamp)}`

  async function deleteIt() {
    const { error } = await remove({ params: { id } })
    if (!error) return
    setConfirming(false)
    alerts.fail('The comment could not be deleted. Please try again.', asFailure(error))
  }

  async function toggleHidden() {
    const { error } = await hide({ params: { id }, body: { hidden: !hidden } })
    if (error) alerts.fail('The comment could not be changed. Please try again.', asFailure(error))
  }

  if (confirming)
    return (
      <fieldset className={styles.actions} aria-label={`Delete${subject}`}>
        <span>Delete this comment for everybody?</span>
        <Button size="compact-xs" color="red" loading={removal.isLoading} onClick={deleteIt}>
          Delete comment
        </Button>
        <Button size="compact-xs" variant="default" autoFocus onClick={() => setConfirming(false)}>
          Keep it
        </Button>
      </fieldset>
    )
  return (
    <div className={styles.actions}>
      {may_edit ? (
        <Button size="compact-xs" variant="subtle" onClick={onEdit}>
          Edit<span className="wl-hidden">{subject}</span>
        </Button>
      ) : null}
      {may_delete ? (
        <Button size="compact-xs" variant="subtle" onClick={() => setConfirming(true)}>
          Delete<span className="wl-hidden">{subject}</span>
        </Button>
      ) : null}
      {may_hide ? (
        <Button size="compact-xs" variant="subtle" loading={hiding.isLoading} onClick={toggleHidden}>
          {hidden ? 'Show again' : 'Hide'}
          <span className="wl-hidden">{subject}</span>
        </Button>
      ) : null}
    </div>
  )
}
