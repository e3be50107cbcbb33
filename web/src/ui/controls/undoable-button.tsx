import { Button, type ButtonProps } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import styles from './undoable-button.module.css'
import type { UndoableCall } from './use-undoable-call.ts'

interface UndoableButtonProps extends ButtonProps {
  call: UndoableCall
  children: string
  /** The action under way, such as "Deleting…". */
  progressLabel: string
  /** Its object, for screen readers: "the comment of …". */
  subject?: string
}

/** A button that stays in place while its call waits, and offers Undo beside it. */
export function UndoableButton({ call, children, progressLabel, subject, ...button }: UndoableButtonProps) {
  const label = call.isBusy ? progressLabel : children
  const undone = progressLabel.replace('…', '').toLowerCase()
  return (
    <>
      <Button
        {...button}
        className={call.isBusy ? styles.busy : undefined}
        aria-label={subject && `${label} ${subject}`}
        aria-disabled={call.isBusy || undefined}
        onClick={call.start}
      >
        {label}
      </Button>
      {call.isWaiting ? (
        <Button {...button} variant="default" aria-label={`Undo ${undone} ${subject ?? ''}`.trim()} onClick={call.undo}>
          Undo
        </Button>
      ) : null}
      <span role="status" className="wl-hidden">
        {call.isWaiting ? `You can undo this for ${limits.undoMs / 1_000} seconds.` : null}
      </span>
    </>
  )
}
