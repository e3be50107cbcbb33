import { Button, Modal, Textarea } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { type FormEvent, useState } from 'react'
import { useAlerts } from '../../ui/alerts.tsx'
import { useSending } from '../../ui/use-sending.ts'
import styles from './management.module.css'
import { useRequestSupervisorMutation } from './management-api.ts'
import { SupervisorPicker } from './supervisor-picker.tsx'

interface Draft {
  chosen: User | undefined
  reason: string
}

const empty: Draft = { chosen: undefined, reason: '' }

/** Asks for a supervisor; an administrator decides. What was chosen and typed stays when the dialog is closed. */
export function RequestSupervisorDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const alerts = useAlerts()
  const [draft, setDraft] = useState(empty)
  const [request] = useRequestSupervisorMutation()
  const [missing, setMissing] = useState(false)
  const { sending, refusal, forget, send } = useSending(opened)
  const { chosen, reason } = draft

  function alter(change: Partial<Draft>) {
    setDraft(before => ({ ...before, ...change }))
    setMissing(false)
    forget()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!chosen) return setMissing(true)
    const body = { requested_supervisor_id: chosen.id, reason: reason.trim() }
    if (!(await send(() => request({ body }), 'Failed to submit supervisor request'))) return
    // What was typed meanwhile is for the next time.
    setDraft(now => (now === draft ? empty : now))
    alerts.succeed('Supervisor request submitted for admin approval!')
    onClose()
  }

  return (
    <Modal opened={opened} onClose={onClose} title={<span className={styles.dialogTitle}>Request Supervisor</span>}>
      <form className={styles.stack} onSubmit={submit} noValidate>
        <p className={styles.dim}>
          Supervisors without a manager can be asked for. An administrator approves your request, and the supervisor
          joins you with their team.
        </p>
        <SupervisorPicker chosen={chosen} onChoose={next => alter({ chosen: next })} />
        <Textarea
          label="Reason (optional)"
          description={`${reason.length.toLocaleString()} of ${limits.reasonMaxLength.toLocaleString()} characters`}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          rows={3}
          resize="vertical"
          maxLength={limits.reasonMaxLength}
          value={reason}
          onChange={event => alter({ reason: event.currentTarget.value })}
        />
        <p role="alert" className={styles.problem}>
          {missing ? 'A supervisor must be selected' : refusal?.words}
        </p>
        <div className={styles.actions}>
          <Button type="submit" loading={sending}>
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
