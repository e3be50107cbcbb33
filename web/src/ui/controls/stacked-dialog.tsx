import { Drawer, type DrawerProps, Modal } from '@mantine/core'
import { createContext, type ReactNode, use, useLayoutEffect, useState } from 'react'
import { useFocusReturn } from '../hooks/use-focus-return.ts'
import styles from './stacked-dialog.module.css'

interface StackedDialogProps {
  /** The dialog's name in the stack. */
  name: string
  opened: boolean
  onClose: () => void
  title: ReactNode
  size?: 'md' | 'lg' | 'xl'
  /** While an act that cannot be undone is under way, the dialog stays open. */
  busy?: boolean
  fullScreen?: boolean
  children: ReactNode
}

/**
 * A dialog that may lie over others: Escape closes the top one, and the focus returns to its
 * opener.
 */
export function StackedDialog({
  name,
  opened,
  onClose,
  title,
  size = 'md',
  busy = false,
  fullScreen,
  children,
}: StackedDialogProps) {
  const id = `dialog-${name}`
  useFocusReturn(opened)
  const countDialog = use(DialogCounter)
  useLayoutEffect(() => {
    if (opened) return countDialog()
  }, [opened, countDialog])
  return (
    <Modal
      id={id}
      stackId={name}
      opened={opened}
      onClose={busy ? () => {} : onClose}
      withCloseButton={!busy}
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

/** Counts an open dialog above the drawer, until the returned function is called. */
const DialogCounter = createContext<() => (() => void) | undefined>(() => undefined)

/** A drawer whose content opens stacked dialogs: Escape closes them first. */
export function DrawerBelowDialogs({ returnFocus = true, ...props }: DrawerProps) {
  const [openDialogs, setOpenDialogs] = useState(0)
  const [countDialog] = useState(() => () => {
    setOpenDialogs(count => count + 1)
    return () => setOpenDialogs(count => count - 1)
  })
  useFocusReturn(props.opened, returnFocus)
  return (
    <DialogCounter value={countDialog}>
      <Drawer
        {...props}
        closeOnEscape={openDialogs === 0}
        returnFocus={false}
        data-closing={props.opened ? undefined : true}
      />
    </DialogCounter>
  )
}
