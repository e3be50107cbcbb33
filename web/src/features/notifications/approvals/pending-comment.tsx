import { Button } from '@mantine/core'
import type { Notification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import { Link, useLocation, useNavigate } from 'react-router'
import { asFailure } from '../../../api/failure.ts'
import { useUndoableCall } from '../../../ui/controls/use-undoable-call.ts'
import { formatPosition } from '../../../ui/dates/format.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { QuotedWords, ReviewMark, UnreadMark } from '../bell/notification-icons.tsx'
import { OpenLink } from '../bell/open-link.tsx'
import { isSession } from '../destination.ts'
import styles from '../notifications.module.css'
import { useReviewNotificationMutation } from '../notifications-api.ts'
import { type AnswerDrafts, answerDraftOf, draftRemoved, draftWritten } from './answer-drafts.ts'
import { AnswerField, isTooLong } from './answer-field.tsx'

interface PendingCommentProps {
  notification: Notification
  role: Role
  /** Keeps the comment in its place in this state, or in a later one of the list. */
  keep: (notification: Notification) => void
  /** Leaves the place of the comment to the list again. */
  release: (id: string) => void
  /** The answer waits for an undo, or is on its way. */
  setAnswering: (id: string, isAnswering: boolean) => void
  onLeave: () => void
}

type Action = 'approve' | 'reject'

const labels = { approve: 'Approve', reject: 'Reject' } as const
const results = { approve: 'approved', reject: 'rejected' } as const
const progressLabels = { approve: 'Approving…', reject: 'Rejecting…' } as const

/** A comment that waits for an answer. Once answered, it shows the answer until the menu closes. */
export function PendingComment({ notification, role, keep, release, setAnswering, onLeave }: PendingCommentProps) {
  const { id, timestamp, comment, message, is_read, is_approved, updated_at } = notification
  const name = authorOf(notification)
  const position = formatPosition(timestamp ?? 0)
  const dispatch = useDispatch()
  const draft = useSelector((state: { answerDrafts: AnswerDrafts }) => answerDraftOf(state, id))
  const text = draft?.trim() ?? ''
  const answer = useAnswer({ notification, text, keep, release, onLeave })
  const isAnswering = answer.sending !== undefined
  useEffect(() => {
    if (!isAnswering) return
    setAnswering(id, true)
    return () => setAnswering(id, false)
  }, [id, isAnswering, setAnswering])
  const subject = ` the comment of ${name} at ${position}`

  const button = (action: Action) => (
    <Button
      size="xs"
      variant={action === 'approve' ? 'light' : 'default'}
      aria-disabled={answer.sending !== undefined || isTooLong(text) || undefined}
      onClick={() => (isTooLong(text) ? undefined : answer.send(action))}
    >
      {answer.sending === action ? progressLabels[action] : labels[action]}
      {text && answer.sending !== action ? ' with reply' : ''}
      <span className="wl-hidden">{subject}</span>
    </Button>
  )

  return (
    <li className={styles.comment} data-unread={is_read ? undefined : true}>
      <div className={styles.line}>
        <span className={styles.at}>at {position}</span>
        {is_read ? null : <UnreadMark />}
        <span className={styles.time}>
          <RelativeTime time={updated_at} />
        </span>
      </div>
      <p className={styles.commentText} dir="auto">
        {comment ?? message}
      </p>
      {is_approved === null || is_approved === undefined ? (
        <>
          {draft === undefined || answer.rejection.isWaiting ? null : (
            <AnswerField
              id={id}
              label={`Your reply to ${name}`}
              text={draft}
              onChange={value => dispatch(draftWritten({ id, text: value }))}
            />
          )}
          <p role="alert" className={styles.problem}>
            {answer.problem}
          </p>
          <div className={styles.answers}>
            {button('approve')}
            {button('reject')}
            {answer.rejection.isWaiting ? (
              <Button size="xs" variant="default" onClick={answer.rejection.undo}>
                Undo
                <span className="wl-hidden"> the rejection of{subject}</span>
              </Button>
            ) : (
              <Button
                size="xs"
                px="xs"
                variant="subtle"
                onClick={() => dispatch(draft === undefined ? draftWritten({ id, text: '' }) : draftRemoved(id))}
              >
                {draft === undefined ? 'Add a reply…' : text ? 'Discard reply' : 'Without a reply'}
                <span className="wl-hidden"> for{subject}</span>
              </Button>
            )}
            <OpenLink notification={notification} role={role} subject={`${name} at ${position}`} onLeave={onLeave} />
          </div>
        </>
      ) : (
        <Outcome
          notification={notification}
          isLate={answer.isLate}
          notifiedName={answer.isSent ? name : undefined}
          moment={
            answer.momentUrl ? (
              <Link to={answer.momentUrl} className={styles.open} onClick={onLeave}>
                Watch the moment
                <span className="wl-hidden"> of{subject}</span>
              </Link>
            ) : null
          }
        />
      )}
    </li>
  )
}

function authorOf({ user_name: name }: Notification): string {
  return name ?? 'The author'
}

interface AnswerInput extends Omit<PendingCommentProps, 'role' | 'setAnswering'> {
  /** The written reply; may be empty. */
  text: string
}

/**
 * Sends one answer at a time. Approving leads to the player, but offers only a link in a running
 * session, which the jump would end. Rejecting stays, and can be undone for a few seconds, because
 * the author is notified as soon as it is sent.
 */
function useAnswer({ notification, text, keep, release, onLeave }: AnswerInput) {
  const alerts = useAlerts()
  const navigate = useNavigate()
  const { search } = useLocation()
  const dispatch = useDispatch()
  const [review] = useReviewNotificationMutation()
  const rejection = useUndoableCall(() => submit('reject'))
  const isMounted = useRef(true)
  const [isApproving, setApproving] = useState(false)
  const [problem, setProblem] = useState('')
  const [momentUrl, setMomentUrl] = useState<string>()
  const [outcome, setOutcome] = useState<'sent' | 'late'>()
  const { id, comment_revision } = notification
  const sending: Action | undefined = rejection.isBusy ? 'reject' : isApproving ? 'approve' : undefined

  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])

  function send(action: Action) {
    if (sending) return
    setProblem('')
    if (action === 'reject') rejection.start()
    else void approve()
  }

  async function approve() {
    setApproving(true)
    await submit('approve')
    setApproving(false)
  }

  async function submit(action: Action) {
    // The list may show the answer before this call returns.
    keep(notification)
    const { data, error } = await review({
      params: { id },
      body: { action, supervisor_comment: text, comment_revision },
    })
    if (error) return handleError(action, asFailure(error))
    dispatch(draftRemoved(id))
    keep({ ...notification, is_read: true, is_approved: action === 'approve', supervisor_comment: text })
    setOutcome('sent')
    if (!isMounted.current)
      return alerts.succeed(`Comment ${results[action]}`, `${authorOf(notification)} has been notified.`)
    if (action === 'reject') return
    if (isSession(search)) return setMomentUrl(data.redirect_url)
    onLeave()
    void navigate(data.redirect_url)
  }

  function handleError(action: Action, failure: ReturnType<typeof asFailure>) {
    if (failure.code === 'already_reviewed') {
      // The conflict means that the accepted answer is the opposite one.
      keep({ ...notification, is_read: true, is_approved: action !== 'approve' })
      setOutcome('late')
      if (!isMounted.current) alerts.announce({ kind: 'notice', message: 'This has already been answered.' })
      return
    }
    release(id)
    if (failure.status === 404) {
      const detail = 'It was deleted, it waited too long, or its author moved to another team.'
      alerts.announce({ kind: 'notice', message: 'This comment no longer needs your answer.', detail })
    } else if (failure.code === 'edited_elsewhere') {
      const message = 'The author changed this comment. Please read it again before you answer.'
      setProblem(message)
      if (!isMounted.current) alerts.announce({ kind: 'notice', message })
    } else {
      const message = 'Your answer could not be sent. Nothing was lost. Please try again.'
      setProblem(failure.detail ? `${message} (${failure.detail})` : message)
      if (!isMounted.current) alerts.fail(message, failure)
    }
  }

  return { send, sending, rejection, problem, isSent: outcome === 'sent', isLate: outcome === 'late', momentUrl }
}

interface OutcomeProps {
  notification: Notification
  /** Somebody else answered first. */
  isLate: boolean
  /** The author's name, if the answer was sent from here just now. */
  notifiedName: string | undefined
  /** The link to the second that the comment is about. */
  moment: ReactNode
}

/** The accepted answer. It takes the focus, because the pressed button is gone. */
function Outcome({ notification, isLate, notifiedName, moment }: OutcomeProps) {
  const { is_approved, supervisor_comment: text } = notification
  const container = useRef<HTMLDivElement>(null)
  const isNew = isLate || notifiedName !== undefined
  useEffect(() => {
    if (isNew) container.current?.focus()
  }, [isNew])
  return (
    <div ref={container} tabIndex={-1}>
      {isLate ? <p className={styles.late}>This has already been answered.</p> : null}
      <p className={styles.outcome}>
        <ReviewMark approved={is_approved === true} />
        {notifiedName ? ` ${notifiedName} has been notified.` : null}
      </p>
      {text ? <QuotedWords by={isLate ? undefined : 'You'}>{text}</QuotedWords> : null}
      {moment}
    </div>
  )
}
