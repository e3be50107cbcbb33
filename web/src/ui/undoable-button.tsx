import { Button, type ButtonProps } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import styles from './undoable-button.module.css'
import { useDelayedCall } from './use-delayed-call.ts'

export interface UndoableCall {
  /** The call waits for an undo. */
  isWaiting: boolean
  /** The call waits, or is on its way. */
  isBusy: boolean
  start: () => void
  undo: () => void
}

/**
 * Holds the call back for a few seconds, so that the person can undo it. The call reports its own
 * failure and never rejects.
 */
export function useUndoableCall(call: () => Promise<void>): UndoableCall {
  const { isWaiting, start, undo } = useDelayedCall(limits.undoMs)
  const [isSending, setSending] = useState(false)
  const isBusy = isWaiting || isSending

  async function send() {
    setSending(true)
    await call()
    setSending(false)
  }

  return { isWaiting, isBusy, undo, start: () => (isBusy ? undefined : start(send)) }
}

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
