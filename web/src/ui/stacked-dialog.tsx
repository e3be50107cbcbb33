import { Modal } from '@mantine/core'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import styles from './stacked-dialog.module.css'

interface StackedDialogProps {
  /** Its name in the stack. */
  name: string
  opened: boolean
  onClose: () => void
  title: ReactNode
  size?: 'md' | 'lg' | 'xl'
  fullScreen?: boolean
  children: ReactNode
}

/** One of several dialogs that may lie on each other: Escape closes the top one, and the keyboard returns to what opened it. */
export function StackedDialog({ name, opened, onClose, title, size = 'md', fullScreen, children }: StackedDialogProps) {
  const id = `dialog-${name}`
  useFocusReturn(id, opened)
  return (
    <Modal
      id={id}
      stackId={name}
      opened={opened}
      onClose={onClose}
      title={<span className={styles.title}>{title}</span>}
      size={size}
      fullScreen={fullScreen}
      returnFocus={false}
    >
      {children}
    </Modal>
  )
}

/** After the dialog below has taken the focus for itself, as it does when it becomes the top one again. */
const settledMs = 50

/** Mantine's own return of focus is cancelled inside a stack: closing a dialog also ends its turn as the top one. */
function useFocusReturn(id: string, opened: boolean): void {
  const opener = useRef<Element | null>(null)
  useLayoutEffect(() => {
    if (opened) opener.current = document.activeElement
  }, [opened])
  useEffect(() => {
    const target = opener.current
    if (opened || !target) return
    opener.current = null
    const timer = setTimeout(() => focusAfter(id, target), settledMs)
    return () => clearTimeout(timer)
  }, [id, opened])
}

/** Back to what opened the dialog; into the dialog that is open instead; or, when neither is there, to the page. */
function focusAfter(id: string, target: Element): void {
  // The one that was closed may still be fading.
  const other = [...document.querySelectorAll('[role="dialog"]')].find(dialog => !dialog.closest(`#${id}`))
  let place: Element | null = target
  if (other && !other.contains(target)) place = other.contains(document.activeElement) ? null : other
  else if (!target.isConnected || target === document.body) place = document.getElementById('main')
  if (place instanceof HTMLElement) place.focus()
}
