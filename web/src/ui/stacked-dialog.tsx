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
  useFocusReturn(opened)
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
      data-closing={opened ? undefined : true}
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
    const target = opener.current
    if (opened || !target) return
    opener.current = null
    const timer = setTimeout(() => focusAfter(target), settledMs)
    return () => clearTimeout(timer)
  }, [opened])
}

/** Back to what opened the dialog; into the dialog that is open instead; or, when neither is there, to the page. */
function focusAfter(target: Element): void {
  const other = [...document.querySelectorAll('[role="dialog"]')].find(dialog => !isClosing(dialog))
  const active = document.activeElement
  let place: Element | null = target
  if (other && !other.contains(target)) place = other.contains(active) ? null : other
  else if (!target.isConnected || target === document.body || isClosing(target))
    place = !active || active === document.body || isClosing(active) ? document.getElementById('main') : null
  if (place instanceof HTMLElement) place.focus()
}

/** Whether it is a closed dialog that is still fading, or something in one. */
function isClosing(element: Element): boolean {
  return element.closest('[data-closing]') !== null
}
