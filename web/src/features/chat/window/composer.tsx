import { limits } from '@watchline/contracts/limits'
import { type KeyboardEvent, useId } from 'react'
import styles from '../chat.module.css'
import { useChat } from '../chat-context.ts'
import type { ChatWindow } from '../dock/chat-windows.ts'
import { wordsId } from '../dock/use-chat-windows.ts'
import { useDraft } from './use-draft.ts'
import { useTellTyping } from './use-typing.ts'

interface ComposerProps {
  roomId: string
  other: ChatWindow['other']
  /** The two may no longer write to each other. */
  closed: boolean
  onSend: (message: string) => void
}

/** From here on the writer is told how much room is left. */
const toldWhenLeft = 200

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no keyboard writes and no server takes comes in by pasting
const notShown = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/** The field for the next message. Enter sends, Shift+Enter makes a line; what is written stays until it is sent. */
export function Composer({ roomId, other, closed, onSend }: ComposerProps) {
  const { person } = useChat()
  const { words, write } = useDraft(person.id, roomId)
  const tellTyping = useTellTyping(other.id)
  const hint = useId()
  const message = words.replace(notShown, '').trim()
  const left = limits.chatMessageMaxLength - message.length

  function send() {
    if (message === '' || left < 0) return
    onSend(message)
    write('')
  }

  function sendByKey(event: KeyboardEvent) {
    // Enter that ends the composition of a character belongs to it; some browsers say so by the key code only.
    const composing = event.nativeEvent.isComposing || event.keyCode === 229
    if (event.key !== 'Enter' || event.shiftKey || composing) return
    event.preventDefault()
    send()
  }

  if (closed) return <Closed roomId={roomId} words={words} />
  return (
    <form
      className={styles.composer}
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        id={wordsId(roomId)}
        className={styles.words}
        rows={1}
        dir="auto"
        placeholder="Write a message"
        aria-label={`Message to ${other.name}`}
        aria-describedby={hint}
        aria-invalid={left < 0 || undefined}
        value={words}
        data-chat-stop
        data-autofocus
        onChange={event => {
          write(event.currentTarget.value)
          if (event.currentTarget.value.trim() !== '') tellTyping()
        }}
        onKeyDown={sendByKey}
      />
      <button type="submit" className={styles.send} aria-disabled={message === '' || left < 0 || undefined}>
        Send
      </button>
      <span id={hint} className={left <= toldWhenLeft ? styles.left : 'wl-hidden'} data-over={left < 0 || undefined}>
        {left <= toldWhenLeft
          ? lengthLeft(left)
          : 'Enter sends, Shift+Enter makes a line, Escape minimises, F6 goes to the next chat.'}
      </span>
    </form>
  )
}

function lengthLeft(left: number): string {
  return left < 0 ? `${(-left).toLocaleString()} characters too many` : `${left.toLocaleString()} characters left`
}

/** In place of the field. What was being written can still be read and copied. */
function Closed({ roomId, words }: { roomId: string; words: string }) {
  return (
    <div className={styles.closed}>
      <p id={wordsId(roomId)} tabIndex={-1} data-chat-stop>
        You can no longer write to each other. What was written stays here to read.
      </p>
      {words === '' ? null : (
        <textarea className={styles.words} rows={2} dir="auto" readOnly aria-label="Your unsent draft" value={words} />
      )}
    </div>
  )
}
