import { UnstyledButton } from '@mantine/core'
import type { Ref } from 'react'
import styles from '../chat.module.css'

interface ChatButtonProps {
  ref: Ref<HTMLButtonElement>
  unread: number | undefined
  listed: boolean
  onClick: () => void
}

/** More than this is told as more. */
const mostShown = 99

export function ChatButton({ ref, unread, listed, onClick }: ChatButtonProps) {
  return (
    <UnstyledButton ref={ref} className={styles.button} aria-haspopup="dialog" aria-expanded={listed} onClick={onClick}>
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
        <path
          d="M5 5.5h14A1.5 1.5 0 0 1 20.5 7v8.5A1.5 1.5 0 0 1 19 17h-7.5L7 20.5V17H5a1.5 1.5 0 0 1-1.5-1.5V7A1.5 1.5 0 0 1 5 5.5z"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.6"
          strokeLinejoin="round"
        />
      </svg>
      <span className="wl-hidden">{unread === undefined ? 'Chat' : `Chat, ${unread} unread`}</span>
      {unread ? (
        <span className={styles.total} aria-hidden="true">
          {unread > mostShown ? `${mostShown}+` : unread}
        </span>
      ) : null}
    </UnstyledButton>
  )
}
