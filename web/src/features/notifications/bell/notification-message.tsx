import type { Notification } from '@watchline/contracts/notification'
import { formatExactTime } from '../../../ui/dates/format.ts'

type Message = Pick<Notification, 'message' | 'due' | 'grace_until'>

/**
 * The message, with its dates by the clock of the device, as on every other screen. On hover and
 * for screen readers also in the words of the server, which name the time zone that applies.
 */
export function NotificationMessage(notification: Message) {
  return splitMessage(notification).map(part =>
    typeof part === 'string' ? (
      part
    ) : (
      <time key={part.text} dateTime={part.at} title={part.text}>
        {formatExactTime(part.at)}
        <span className="wl-hidden"> ({part.text})</span>
      </time>
    ),
  )
}

/** The same as plain text. */
export function formatMessage(notification: Message): string {
  return splitMessage(notification)
    .map(part => (typeof part === 'string' ? part : formatExactTime(part.at)))
    .join('')
}

/** The texts of a message and the dates between them. */
function splitMessage({ message, due, grace_until }: Message) {
  const parts: (string | NonNullable<Message['due']>)[] = []
  let remainingText = message
  for (const date of [due, grace_until]) {
    const from = date ? remainingText.indexOf(date.text) : -1
    if (!date || from < 0) continue
    parts.push(remainingText.slice(0, from), date)
    remainingText = remainingText.slice(from + date.text.length)
  }
  return [...parts, remainingText]
}
