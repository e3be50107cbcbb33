import type { Ref } from 'react'
import { BadgeCount } from '../../../ui/controls/badge-count.tsx'
import { IconButton } from '../../../ui/controls/icon-button.tsx'

interface ChatButtonProps {
  ref: Ref<HTMLButtonElement>
  unread: number | undefined
  isListOpen: boolean
  onClick: () => void
}

/** Larger counts are shown as `99+`. */
const maxShown = 99

export function ChatButton({ ref, unread, isListOpen, onClick }: ChatButtonProps) {
  return (
    <IconButton ref={ref} type="button" aria-haspopup="dialog" aria-expanded={isListOpen} onClick={onClick}>
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
      <BadgeCount corner count={unread ?? 0} max={maxShown} />
    </IconButton>
  )
}
