import { UnstyledButton } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import styles from './icon-button.module.css'

/** A button of the header with an icon, a hidden text and possibly a badge. */
export function IconButton({ className = '', ...props }: ComponentPropsWithRef<'button'>) {
  return <UnstyledButton {...props} className={`${styles.button} ${className}`} />
}
