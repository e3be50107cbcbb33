import { useState } from 'react'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { useReplaceRecoveryCodesMutation } from '../second-factor/factor-api.ts'
import { RecoveryCodes } from '../second-factor/recovery-codes.tsx'
import styles from '../second-factor/second-factor.module.css'
import { PasswordAgain } from './password-again.tsx'

/** Replaces the recovery codes after the password, and shows the new ones. */
export function RecoveryCodesDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[]>()
  const { isSending, refusal, clearRefusal, send } = useSending(opened)
  const [replace] = useReplaceRecoveryCodesMutation()

  function close() {
    setCodes(undefined)
    clearRefusal()
    onClose()
  }

  async function confirm(password: string) {
    const replaced = await send(() => replace({ body: { password } }), 'Failed to create recovery codes')
    if (replaced) setCodes(replaced.recovery_codes)
  }

  return (
    <StackedDialog name="recovery-codes" opened={opened} onClose={close} title="New recovery codes">
      {codes ? (
        <RecoveryCodes codes={codes} onDone={close} />
      ) : (
        <PasswordAgain action="Create new codes" isSending={isSending} refusal={refusal} onPassword={confirm}>
          <p className={styles.text}>Your earlier recovery codes are no longer valid then.</p>
        </PasswordAgain>
      )}
    </StackedDialog>
  )
}
