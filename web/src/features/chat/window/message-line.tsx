import type { ChatMessage } from '@watchline/contracts/chat'
import { memo } from 'react'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import styles from './message-log.module.css'
import { MessageText } from './message-text.tsx'

interface MessageLineProps {
  message: ChatMessage
  own: boolean
  /** The latest own message that the partner has seen. */
  seen: boolean
  name: string
}

/** A message on its writer’s side. Hidden text names the writer for screen readers. */
export const MessageLine = memo(function MessageLine({ message, own, seen, name }: MessageLineProps) {
  return (
    <li className={styles.line} data-own={own || undefined} data-line>
      <span className="wl-hidden">{own ? 'You' : name}: </span>
      <p className={styles.bubble} dir="auto">
        <MessageText>{message.message}</MessageText>
      </p>
      <span className={styles.meta}>
        <RelativeTime time={message.timestamp} />
        {seen ? <span className={styles.seen}>✓ Seen</span> : null}
      </span>
    </li>
  )
})
