import { useEffect, useState } from 'react'
import { explainFailure } from '../../../api/failure.ts'
import type { Problem } from '../../../outbox/outbox-types.ts'
import { isClosedRoom, type UnsentMessage } from '../outbox/chat-outbox.ts'
import styles from './message-log.module.css'
import { MessageText } from './message-text.tsx'

interface UnsentLineProps {
  unsent: UnsentMessage
  onSendAgain: () => void
  onDelete: () => void
}

/** An own message that the server has not accepted yet. */
export function UnsentLine({ unsent: { call, problem }, onSendAgain, onDelete }: UnsentLineProps) {
  const needsPerson = problem && problem.kind !== 'limited'
  return (
    <li className={styles.line} data-own data-unsent={problem?.kind ?? 'waits'} data-line>
      <span className="wl-hidden">You: </span>
      <p className={styles.bubble} dir="auto">
        <MessageText>{call.message}</MessageText>
      </p>
      <span className={styles.meta} role="status">
        {problem ? <ProblemText problem={problem} /> : 'Sending…'}
      </span>
      {needsPerson ? (
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

function ProblemText({ problem }: { problem: Problem }) {
  switch (problem.kind) {
    case 'failed':
      return <span className={styles.problem}>Not sent. The message is kept. Retrying automatically.</span>
    case 'limited':
      return (
        <span className={styles.problem}>
          Too many messages at once. <Countdown until={problem.until} />
        </span>
      )
    case 'refused': {
      const { failure } = problem
      const reason = isClosedRoom(failure) ? 'You can no longer write to each other.' : explainFailure(failure)
      return <span className={styles.problem}>Not sent. {reason}</span>
    }
  }
}

/** Screen readers skip the seconds. */
function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      Sent automatically
      <span aria-hidden="true"> in {Math.max(1, Math.ceil((until - now) / 1_000))} s</span>.
    </>
  )
}
