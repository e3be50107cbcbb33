import { Button } from '@mantine/core'
import type { Notification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import { useEffect, useRef, useState } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import { useNavigate } from 'react-router'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { formatPosition } from '../../../ui/format.ts'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { QuotedWords, ReviewMark, UnreadMark } from '../bell/notification-icons.tsx'
import { OpenLink } from '../bell/open-link.tsx'
import styles from '../notifications.module.css'
import { useReviewNotificationMutation } from '../notifications-api.ts'
import { type AnswerDrafts, answerDraftOf, draftDone, draftWritten } from './answer-drafts.ts'
import { AnswerField, isTooLong } from './answer-field.tsx'

interface WaitingCommentProps {
  notification: Notification
  role: Role
  /** It has an answer now, given here or by somebody before. */
  onAnswered: (answered: Notification) => void
  onLeave: () => void
}

type Action = 'approve' | 'reject'

const verbs = { approve: 'Approve', reject: 'Reject' } as const
const done = { approve: 'approved', reject: 'rejected' } as const
const doing = { approve: 'Approving…', reject: 'Rejecting…' } as const

/** One comment that waits for an answer, until the menu is closed also with the answer it was given. */
export function PendingComment({ notification, role, onAnswered, onLeave }: WaitingCommentProps) {
  const { id, timestamp, comment, message, is_read, is_approved, updated_at } = notification
  const name = nameIn(notification)
  const at = formatPosition(timestamp ?? 0)
  const answer = useAnswer({ notification, onAnswered, onLeave })
  const dispatch = useDispatch()
  const draft = useSelector((state: { answerDrafts: AnswerDrafts }) => answerDraftOf(state, id))
  const words = draft?.trim() ?? ''
  const what = ` the comment of ${name} at ${at}`

  const button = (action: Action) => (
    <Button
      size="xs"
      variant={action === 'approve' ? 'light' : 'default'}
      aria-disabled={answer.sending !== undefined || isTooLong(words) || undefined}
      onClick={() => (isTooLong(words) ? undefined : answer.give(action, words))}
    >
      {answer.sending === action ? doing[action] : verbs[action]}
      {words && answer.sending !== action ? ' with comment' : ''}
      <span className="wl-hidden">{what}</span>
    </Button>
  )

  return (
    <li className={styles.comment} data-unread={is_read ? undefined : true}>
      <div className={styles.line}>
        <span className={styles.at}>at {at}</span>
        {is_read ? null : <UnreadMark />}
        <span className={styles.time}>
          <RelativeTime time={updated_at} />
        </span>
      </div>
      <p className={styles.said} dir="auto">
        {comment ?? message}
      </p>
      {is_approved === null || is_approved === undefined ? (
        <>
          {draft === undefined ? null : (
            <AnswerField
              id={id}
              label={`Your comment to ${name}`}
              words={draft}
              onWords={next => dispatch(draftWritten({ id, words: next }))}
            />
          )}
          <p role="alert" className={styles.problem}>
            {answer.problem}
          </p>
          <div className={styles.answers}>
            {button('approve')}
            {button('reject')}
            <Button
              size="xs"
              px="xs"
              variant="subtle"
              onClick={() => dispatch(draft === undefined ? draftWritten({ id, words: '' }) : draftDone(id))}
            >
              {draft === undefined ? 'Add a comment…' : words ? 'Discard comment' : 'Without a comment'}
              <span className="wl-hidden"> for{what}</span>
            </Button>
            <OpenLink notification={notification} role={role} what={`${name} at ${at}`} onLeave={onLeave} />
          </div>
        </>
      ) : (
        <Outcome notification={notification} late={answer.late} told={answer.told ? name : undefined} />
      )}
    </li>
  )
}

function nameIn({ user_name: name }: Notification): string {
  return name ?? 'The author'
}

/** Sends one answer at a time. Approving leads to the player; rejecting stays. */
function useAnswer({ notification, onAnswered, onLeave }: Omit<WaitingCommentProps, 'role'>) {
  const alerts = useAlerts()
  const navigate = useNavigate()
  const dispatch = useDispatch()
  const [review] = useReviewNotificationMutation()
  const busy = useRef(false)
  const there = useRef(true)
  const [sending, setSending] = useState<Action>()
  const [problem, setProblem] = useState('')
  const [given, setGiven] = useState<'told' | 'late'>()
  const { id } = notification

  useEffect(() => {
    there.current = true
    return () => {
      there.current = false
    }
  }, [])

  async function give(action: Action, words: string) {
    if (busy.current) return
    busy.current = true
    setSending(action)
    setProblem('')
    const { data, error } = await review({ params: { id }, body: { action, supervisor_comment: words } })
    busy.current = false
    setSending(undefined)
    if (error) return refused(action, asFailure(error))
    dispatch(draftDone(id))
    onAnswered({ ...notification, is_read: true, is_approved: action === 'approve', supervisor_comment: words })
    setGiven('told')
    if (!there.current) return alerts.succeed(`Comment ${done[action]}`, `${nameIn(notification)} has been told.`)
    if (action === 'reject') return
    onLeave()
    void navigate(data.redirect_url)
  }

  function refused(action: Action, failure: ReturnType<typeof asFailure>) {
    if (failure.code === 'already_reviewed') {
      // Two answers that differ: the one that stands is the other one.
      onAnswered({ ...notification, is_read: true, is_approved: action !== 'approve' })
      setGiven('late')
      if (!there.current) alerts.announce({ kind: 'notice', message: 'This has already been answered.' })
    } else if (failure.status === 404) {
      const detail = 'Its author may have moved to another team.'
      alerts.announce({ kind: 'notice', message: 'This comment no longer waits for you.', detail })
    } else {
      const message = 'Your answer could not be sent. Nothing was lost; please try again.'
      setProblem(failure.detail ? `${message} (${failure.detail})` : message)
      if (!there.current) alerts.fail(message, failure)
    }
  }

  return { give, sending, problem, told: given === 'told', late: given === 'late' }
}

interface OutcomeProps {
  notification: Notification
  /** Somebody answered before. */
  late: boolean
  /** Who has been told just now. */
  told: string | undefined
}

/** The answer that stands. The keyboard comes here, because the buttons it was on are gone. */
function Outcome({ notification: { is_approved, supervisor_comment: words }, late, told }: OutcomeProps) {
  const place = useRef<HTMLDivElement>(null)
  const here = late || told !== undefined
  useEffect(() => {
    if (here) place.current?.focus()
  }, [here])
  return (
    <div ref={place} tabIndex={-1}>
      {late ? <p className={styles.late}>This has already been answered.</p> : null}
      <p className={styles.outcome}>
        <ReviewMark approved={is_approved === true} />
        {told ? ` ${told} has been told.` : null}
      </p>
      {words ? <QuotedWords by={late ? undefined : 'You'}>{words}</QuotedWords> : null}
    </div>
  )
}
