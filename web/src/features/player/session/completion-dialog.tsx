import { Button, Text, Title } from '@mantine/core'
import { useEffect, useId, useRef } from 'react'
import { formatDuration } from '../../../ui/format.ts'
import classes from '../player.module.css'

interface CompletionDialogProps {
  playlistTitle: string
  /** Seconds. */
  watched: number
  onDone: () => void
}

/** The browser's own modal dialog, which traps the focus and handles Escape. */
export function CompletionDialog({ playlistTitle, watched, onDone }: CompletionDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    if (!element || element.open) return
    if (element.showModal) element.showModal()
    else element.open = true
  }, [])
  return (
    <dialog
      ref={dialog}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      className={classes.dialog}
      onCancel={event => {
        event.preventDefault()
        onDone()
      }}
    >
      <Title order={2} size="h3" id={`${id}-title`}>
        Congratulations!
      </Title>
      <Text id={`${id}-text`} my="md">
        You have completed “{playlistTitle}”. Total watch time: {formatDuration(watched)}.
      </Text>
      <Button onClick={onDone} autoFocus>
        Back to Dashboard
      </Button>
    </dialog>
  )
}
