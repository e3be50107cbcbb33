import { Button, Modal, Textarea } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { type FormEvent, useState } from 'react'
import { formatNumber } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { useSending } from '../../ui/hooks/use-sending.ts'
import listStyles from '../../ui/lists/list.module.css'
import styles from './management.module.css'
import { useRequestSupervisorMutation } from './management-api.ts'
import { SupervisorPicker } from './supervisor-picker.tsx'

interface Draft {
  chosen: User | undefined
  reason: string
}

const emptyDraft: Draft = { chosen: undefined, reason: '' }

/** Requests a supervisor from the administrators. Closing the dialog keeps the draft. */
export function RequestSupervisorDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const alerts = useAlerts()
  const [draft, setDraft] = useState(emptyDraft)
  const [request] = useRequestSupervisorMutation()
  const [isMissing, setMissing] = useState(false)
  const { isSending, refusal, clearRefusal, send } = useSending(opened)
  const { chosen, reason } = draft

  function changeDraft(change: Partial<Draft>) {
    setDraft(previous => ({ ...previous, ...change }))
    setMissing(false)
    clearRefusal()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!chosen) return setMissing(true)
    const body = { requested_supervisor_id: chosen.id, reason: reason.trim() }
    if (!(await send(() => request({ body }), 'Failed to submit supervisor request'))) return
    // A draft that changed during the call stays for the next request.
    setDraft(current => (current === draft ? emptyDraft : current))
    alerts.succeed('Supervisor request submitted for admin approval!')
    onClose()
  }

  return (
    <Modal opened={opened} onClose={onClose} title={<span className={styles.dialogTitle}>Request Supervisor</span>}>
      <form className={styles.stack} onSubmit={submit} noValidate>
        <p className={listStyles.dim}>
          You can request a supervisor who has no manager. After an administrator approves, the supervisor joins you
          with their team.
        </p>
        <SupervisorPicker chosen={chosen} onChoose={supervisor => changeDraft({ chosen: supervisor })} />
        <Textarea
          label="Reason (optional)"
          description={`${formatNumber(reason.length)} of ${formatNumber(limits.reasonMaxLength)} characters`}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          rows={3}
          resize="vertical"
          maxLength={limits.reasonMaxLength}
          value={reason}
          onChange={event => changeDraft({ reason: event.currentTarget.value })}
        />
        <p role="alert" className={styles.problem}>
          {isMissing ? 'A supervisor must be selected' : refusal?.message}
        </p>
        <div className={styles.actions}>
          <Button type="submit" loading={isSending}>
            Submit Request
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Modal>
  )
}
