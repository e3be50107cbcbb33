import { Modal } from '@mantine/core'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import styles from './supervision.module.css'

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
  useFocusReturn(opened)
  return (
    <Modal
      stackId={name}
      opened={opened}
      onClose={onClose}
      title={<span className={styles.dialogTitle}>{title}</span>}
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
function useFocusReturn(opened: boolean): void {
  const opener = useRef<Element | null>(null)
  useLayoutEffect(() => {
    if (opened) opener.current = document.activeElement
  }, [opened])
  useEffect(() => {
    if (opened || !opener.current) return
    const target = opener.current
    opener.current = null
    const timer = setTimeout(() => {
      const { activeElement } = document
      const taken = activeElement?.closest('[role="dialog"]')
      // Another dialog that has come up meanwhile keeps the focus.
      if (taken && !taken.contains(target)) return
      const place = target.isConnected && target !== document.body ? target : document.getElementById('main')
      if (place instanceof HTMLElement) place.focus()
    }, settledMs)
    return () => clearTimeout(timer)
  }, [opened])
}
