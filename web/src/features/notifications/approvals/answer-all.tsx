import { Button } from '@mantine/core'
import type { Notification } from '@watchline/contracts/notification'
import { useEffect, useRef, useState } from 'react'
import { useDispatch, useStore } from 'react-redux'
import { asFailure, type Failure } from '../../../api/failure.ts'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import styles from '../notifications.module.css'
import { useReviewNotificationMutation } from '../notifications-api.ts'
import { type AnswerDrafts, answerDraftOf, draftRemoved } from './answer-drafts.ts'
import { isTooLong } from './answer-field.tsx'

interface AnswerAllProps {
  /** The loaded comments, without those whose answer waits for an undo or is on its way. */
  comments: readonly Notification[]
  keep: (notification: Notification) => void
  release: (id: string) => void
}

type Action = 'approve' | 'reject'

const verbs = { approve: 'Approve', reject: 'Reject' } as const
const results = { approve: 'approved', reject: 'rejected' } as const

/**
 * Answers all loaded comments with one action. An answer cannot be taken back, because its author
 * is notified at once; so the buttons ask first.
 */
export function AnswerAll({ comments, keep, release }: AnswerAllProps) {
  const [question, setQuestion] = useState<{ action: Action; ids: readonly string[] }>()
  // The question does not name a comment that arrives after it.
  const namedComments = comments.filter(({ id }) => question?.ids.includes(id))
  const { sendAll, isSending } = useAnswerAll({ comments: namedComments, keep, release })
  const action = isSending || namedComments.length > 0 ? question?.action : undefined
  const questionRef = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (action) questionRef.current?.focus()
  }, [action])

  if (comments.length < 2 && !isSending) return null
  if (!action)
    return (
      <div className={styles.answers}>
        {(['approve', 'reject'] as const).map(offered => (
          <Button
            key={offered}
            size="xs"
            variant="default"
            onClick={() => setQuestion({ action: offered, ids: comments.map(({ id }) => id) })}
          >
            {verbs[offered]} all
          </Button>
        ))}
      </div>
    )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form fields, not a question
    <div ref={questionRef} tabIndex={-1} role="group" aria-label={`${verbs[action]} all`} className={styles.answers}>
      <span>
        {verbs[action]} {formatCount(namedComments.length, 'comment')} and notify the authors?
      </span>
      <Button
        size="xs"
        aria-disabled={isSending || undefined}
        onClick={async () => {
          await sendAll(action)
          setQuestion(undefined)
        }}
      >
        {isSending ? 'Sending…' : `${verbs[action]} ${namedComments.length}`}
      </Button>
      {isSending ? null : (
        <Button size="xs" variant="default" onClick={() => setQuestion(undefined)}>
          Cancel
        </Button>
      )}
    </div>
  )
}

/** Sends the answers one by one, each with its written reply. One failure ends the rest. */
function useAnswerAll({ comments, keep, release }: AnswerAllProps) {
  const alerts = useAlerts()
  const dispatch = useDispatch()
  const store = useStore<{ answerDrafts: AnswerDrafts }>()
  const [review] = useReviewNotificationMutation()
  const isBusy = useRef(false)
  const [isSending, setSending] = useState(false)

  async function sendAll(action: Action) {
    if (isBusy.current) return
    isBusy.current = true
    setSending(true)
    let sentCount = 0
    let tooLongCount = 0
    let overtakenCount = 0
    let failure: Failure | undefined
    for (const notification of comments) {
      const { id, comment_revision } = notification
      const text = answerDraftOf(store.getState(), id)?.trim() ?? ''
      if (isTooLong(text)) {
        tooLongCount += 1
        continue
      }
      // The list may show the answer before this call returns.
      keep(notification)
      const { error } = await review({ params: { id }, body: { action, supervisor_comment: text, comment_revision } })
      if (error) release(id)
      if (error && !isOvertaken(asFailure(error))) {
        failure = asFailure(error)
        break
      }
      if (error) {
        overtakenCount += 1
        continue
      }
      sentCount += 1
      dispatch(draftRemoved(id))
      keep({ ...notification, is_read: true, is_approved: action === 'approve', supervisor_comment: text })
    }
    isBusy.current = false
    setSending(false)
    if (failure) {
      const unsent = formatCount(comments.length - sentCount - tooLongCount - overtakenCount, 'answer')
      return alerts.fail(`${unsent} could not be sent. Please try again.`, failure)
    }
    const detail = describeSkipped(tooLongCount, overtakenCount)
    if (sentCount > 0) alerts.succeed(`${formatCount(sentCount, 'comment')} ${results[action]}`, detail)
    else alerts.announce({ kind: 'notice', message: 'No comment was answered.', detail })
  }

  return { sendAll, isSending }
}

/**
 * Somebody answered, changed or deleted the comment meanwhile. The list then shows its new state.
 */
function isOvertaken({ code, status }: Failure): boolean {
  return code === 'already_reviewed' || code === 'edited_elsewhere' || status === 404
}

function describeSkipped(tooLongCount: number, overtakenCount: number): string {
  const sentences = [
    tooLongCount > 0 && `${formatCount(tooLongCount, 'reply is', 'replies are')} too long. Please shorten them.`,
    overtakenCount > 0 && `${formatCount(overtakenCount, 'comment')} changed meanwhile. Please read them again.`,
  ].filter(sentence => sentence !== false)
  return sentences.join(' ') || 'The authors have been notified.'
}
