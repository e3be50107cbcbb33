import type { ChatMessage } from '@watchline/contracts/chat'
import { useEffect, useRef, useState } from 'react'

interface NewMessageAnnouncerProps {
  /** Undefined until loaded. */
  messages: readonly ChatMessage[] | undefined
  personId: string
  name: string
}

/** Announces to screen readers the messages that arrive while the window is open. */
export function NewMessageAnnouncer({ messages, personId, name }: NewMessageAnnouncerProps) {
  const announcedSeq = useRef<number>(undefined)
  const [announcement, setAnnouncement] = useState('')

  useEffect(() => {
    if (!messages) return
    const before = announcedSeq.current
    announcedSeq.current = messages.at(-1)?.seq ?? 0
    if (before === undefined) return
    const arrived = messages.filter(message => message.seq > before && message.sender_id !== personId)
    if (arrived.length > 0) setAnnouncement(`${name}: ${arrived.map(({ message }) => message).join('. ')}`)
  }, [messages, personId, name])

  return (
    <div className="wl-hidden" aria-live="polite">
      {announcement}
    </div>
  )
}
