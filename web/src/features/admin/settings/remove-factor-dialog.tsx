import type { SecondFactor } from '@watchline/contracts/second-factors'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useLastValue } from '../../../ui/hooks/use-last-value.ts'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { useRemoveSecondFactorMutation } from '../second-factor/factor-api.ts'
import styles from '../second-factor/second-factor.module.css'
import { PasswordAgain } from './password-again.tsx'

interface RemoveFactorDialogProps {
  /** undefined: the dialog is closed. */
  factor: SecondFactor | undefined
  isLast: boolean
  onClose: () => void
}

/** Removes a second factor after the password. */
export function RemoveFactorDialog({ factor, isLast, onClose }: RemoveFactorDialogProps) {
  const alerts = useAlerts()
  const shown = useLastValue(factor)
  const { isSending, refusal, clearRefusal, send } = useSending(factor !== undefined)
  const [remove] = useRemoveSecondFactorMutation()

  function close() {
    clearRefusal()
    onClose()
  }

  async function confirm(password: string) {
    if (!factor) return
    const call = () => remove({ params: { id: factor.id }, body: { password } })
    if (!(await send(call, 'Failed to remove the second factor'))) return
    alerts.succeed(`${factor.name} is removed`)
    close()
  }

  return (
    <StackedDialog
      name="remove-second-factor"
      opened={factor !== undefined}
      onClose={close}
      title={`Remove ${shown?.name ?? ''}?`}
    >
      <PasswordAgain action="Remove" color="red" isSending={isSending} refusal={refusal} onPassword={confirm}>
        <p className={styles.text}>
          {isLast
            ? 'It is your last second factor. Without it, you sign in with your password only, and your recovery codes are deleted.'
            : 'You can no longer sign in with it.'}
        </p>
      </PasswordAgain>
    </StackedDialog>
  )
}
