import type { ChatMessage } from '@watchline/contracts/chat'
import { useEffect, useRef, useState } from 'react'

interface HeardProps {
  /** Undefined while not known. */
  messages: readonly ChatMessage[] | undefined
  personId: string
  name: string
}

/** Reads aloud what comes while the window is open; not what was there, nor what is older. */
export function Heard({ messages, personId, name }: HeardProps) {
  const heard = useRef<number>(undefined)
  const [words, setWords] = useState('')

  useEffect(() => {
    if (!messages) return
    const before = heard.current
    heard.current = messages.at(-1)?.seq ?? 0
    if (before === undefined) return
    const news = messages.filter(each => each.seq > before && each.sender_id !== personId)
    if (news.length > 0) setWords(`${name}: ${news.map(each => each.message).join('. ')}`)
  }, [messages, personId, name])

  return (
    <div className="wl-hidden" aria-live="polite">
      {words}
    </div>
  )
}
