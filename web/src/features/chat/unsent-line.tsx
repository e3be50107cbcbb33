import { useEffect, useState } from 'react'
import styles from './chat.module.css'
import { MessageText } from './message-text.tsx'
import type { Trouble, Unsent } from './unsent.ts'

interface UnsentLineProps {
  unsent: Unsent
  onSendAgain: () => void
  onDelete: () => void
}

/** One’s own words that the server has not taken yet. */
export function UnsentLine({ unsent: { message, trouble }, onSendAgain, onDelete }: UnsentLineProps) {
  const byHand = trouble && trouble.kind !== 'limited'
  return (
    <li className={styles.line} data-own data-unsent={trouble?.kind ?? 'waits'} data-line>
      <span className="wl-hidden">You: </span>
      <p className={styles.bubble} dir="auto">
        <MessageText>{message}</MessageText>
      </p>
      <span className={styles.meta} role="status">
        {trouble ? <Why trouble={trouble} /> : 'Sending…'}
      </span>
      {byHand ? (
        <span className={styles.choices}>
          <button type="button" onClick={onSendAgain}>
            Try again
          </button>
          <button type="button" onClick={onDelete}>
            Delete
          </button>
        </span>
      ) : null}
    </li>
  )
}

function Why({ trouble }: { trouble: Trouble }) {
  switch (trouble.kind) {
    case 'failed':
      return <span className={styles.trouble}>Not sent. It is kept and tried again by itself.</span>
    case 'limited':
      return (
        <span className={styles.trouble}>
          Too many messages at once. <Countdown until={trouble.until} />
        </span>
      )
    case 'closed':
      return <span className={styles.trouble}>Not sent. You can no longer write to each other.</span>
    case 'refused':
      return <span className={styles.trouble}>Not sent. {trouble.detail}</span>
  }
}

/** Seconds that pass are not for a screen reader. */
function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      This one is sent by itself
      <span aria-hidden="true"> in {Math.max(1, Math.ceil((until - now) / 1_000))} s</span>.
    </>
  )
}
