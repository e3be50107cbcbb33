import type { Notification } from '@watchline/contracts/notification'
import { formatExactTime } from '../../../ui/dates/format.ts'

type Message = Pick<Notification, 'message' | 'due'>

/**
 * The message, with its due date by the clock of the device, as on every other screen. On hover and
 * for screen readers also in the words of the server, which name the time zone that applies.
 */
export function NotificationMessage(notification: Message) {
  const { before, due, after } = splitMessage(notification)
  return (
    <>
      {before}
      {due ? (
        <time dateTime={due.at} title={due.text}>
          {formatExactTime(due.at)}
          <span className="wl-hidden"> ({due.text})</span>
        </time>
      ) : null}
      {after}
    </>
  )
}

/** The same as plain text. */
export function formatMessage(notification: Message): string {
  const { before, due, after } = splitMessage(notification)
  return before + (due ? formatExactTime(due.at) : '') + after
}

function splitMessage({ message, due }: Message) {
  const from = due ? message.indexOf(due.text) : -1
  if (!due || from < 0) return { before: message, due: undefined, after: '' }
  return { before: message.slice(0, from), due, after: message.slice(from + due.text.length) }
}
