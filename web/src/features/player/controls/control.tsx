import type { ReactNode } from 'react'
import classes from './controls.module.css'

interface ControlProps {
  /** The name for screen readers, and the tooltip. */
  label: string
  /** The key that does the same, in the tooltip. */
  shortcut: string | undefined
  /** For buttons that switch something whose state the picture does not show. */
  pressed?: boolean
  disabled?: boolean
  onClick: () => void
  children: ReactNode
}

/**
 * The tooltip of a control: its name, and the key that does the same. Browsers show it to a mouse
 * only, so the style shows it for the keyboard.
 */
export function nameWithKey(label: string, shortcut: string | undefined): string {
  return shortcut ? `${label} (${shortcut})` : label
}

/** A button of the control bar. */
export function Control({ label, shortcut, pressed, disabled = false, onClick, children }: ControlProps) {
  return (
    <button
      type="button"
      className={classes.control}
      aria-label={label}
      aria-pressed={pressed}
      title={nameWithKey(label, shortcut)}
      data-tooltip={nameWithKey(label, shortcut)}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </button>
  )
}
