import { limits } from '@watchline/contracts/limits'
import { type KeyboardEvent, useId } from 'react'
import { isComposing } from '../../../ui/controls/is-composing.ts'
import { formatNumber } from '../../../ui/dates/format.ts'
import { useChat } from '../chat-context.ts'
import type { ChatWindow } from '../dock/chat-windows.ts'
import { messageFieldId } from '../dock/use-chat-windows.ts'
import styles from './composer.module.css'
import { useDraft } from './use-draft.ts'
import { useReportTyping } from './use-typing.ts'

interface ComposerProps {
  roomId: string
  partner: ChatWindow['other']
  /** The two may no longer write to each other. */
  closed: boolean
  onSend: (message: string) => void
}

/** From this number of remaining characters on, the number is shown. */
const countdownFrom = 200

// biome-ignore lint/suspicious/noControlCharactersInRegex: the server refuses them in pasted text
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/**
 * The field for the next message. Enter sends, Shift+Enter starts a new line. The draft is kept.
 */
export function Composer({ roomId, partner, closed, onSend }: ComposerProps) {
  const { person } = useChat()
  const { text, write } = useDraft(person.id, roomId)
  const reportTyping = useReportTyping(partner.id)
  const hint = useId()
  const message = text.replace(controlCharacters, '').trim()
  const remaining = limits.chatMessageMaxLength - message.length

  function send() {
    if (message === '' || remaining < 0) return
    onSend(message)
    write('')
  }

  function sendByKey(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return
    event.preventDefault()
    send()
  }

  if (closed) return <Closed roomId={roomId} text={text} />
  return (
    <form
      className={styles.composer}
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        id={messageFieldId(roomId)}
        className={styles.text}
        rows={1}
        dir="auto"
        placeholder="Write a message"
        aria-label={`Message to ${partner.name}`}
        aria-describedby={hint}
        aria-invalid={remaining < 0 || undefined}
        value={text}
        data-chat-stop
        data-autofocus
        onChange={event => {
          write(event.currentTarget.value)
          if (event.currentTarget.value.trim() !== '') reportTyping()
        }}
        onKeyDown={sendByKey}
      />
      <button type="submit" className={styles.send} aria-disabled={message === '' || remaining < 0 || undefined}>
        Send
      </button>
      <span
        id={hint}
        className={remaining <= countdownFrom ? styles.remaining : 'wl-hidden'}
        data-over={remaining < 0 || undefined}
      >
        {remaining <= countdownFrom
          ? lengthLeft(remaining)
          : 'Enter sends, Shift+Enter starts a new line, Escape minimises, F6 moves to the next chat.'}
      </span>
    </form>
  )
}

function lengthLeft(remaining: number): string {
  return remaining < 0
    ? `${formatNumber(-remaining)} characters too many`
    : `${formatNumber(remaining)} characters left`
}

/** Replaces the field. The unsent draft can still be read and copied. */
function Closed({ roomId, text }: { roomId: string; text: string }) {
  return (
    <div className={styles.closed}>
      <p id={messageFieldId(roomId)} tabIndex={-1} data-chat-stop>
        You can no longer write to each other. Earlier messages stay here to read.
      </p>
      {text === '' ? null : (
        <textarea className={styles.text} rows={2} dir="auto" readOnly aria-label="Your unsent draft" value={text} />
      )}
    </div>
  )
}
