import { Button } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { newUuid } from '../../api/new-uuid.ts'
import { isComposing } from '../../ui/controls/is-composing.ts'
import { formatPosition } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import type { Subscribable } from '../../ui/hooks/subscribable.ts'
import { useSubscribable } from '../../ui/hooks/use-subscribable.ts'
import styles from './comments.module.css'
import { draftOfComment, readDraft, restoreDraft, type StoredDraft, writeDraft } from './draft-store.ts'
import type { CommentedVideo } from './use-comments.ts'

interface CommentFormProps extends CommentedVideo {
  personId: string
  /** The whole second that the player shows. */
  shownSecond: Subscribable<number>
  /** The position at this moment, in seconds. */
  position: () => number
  /** Called with the id of a comment that was added to the list. */
  onAdd: (id: string) => void
}

/** As keyboards name it; a touch screen has none. */
const sendKeys = navigator.platform.startsWith('Mac') ? '⌘+Enter' : 'Ctrl+Enter'

/** From this number of remaining characters on, the number is shown. */
const countdownFrom = 200

/** The form of one video; render it with a key, so that each video keeps its own draft. */
export function CommentForm({ personId, playlistId, videoId, outbox, shownSecond, position, onAdd }: CommentFormProps) {
  const [draft, setDraft] = useState(() => readDraft(draftOfComment(personId, playlistId, videoId)))
  const [flashing, setFlashing] = useState(false)
  const field = useId()
  const textarea = useRef<HTMLTextAreaElement>(null)
  const sendButton = useRef<HTMLButtonElement>(null)
  const alerts = useAlerts()
  const text = draft.text.trim()
  const remaining = limits.commentMaxLength - text.length

  function changeDraft(next: StoredDraft) {
    setDraft(next)
    writeDraft(draftOfComment(personId, playlistId, videoId), next)
  }

  useEffect(
    () =>
      outbox.onAnswered(({ body }, answer) => {
        const isShown = body.playlist_id === playlistId && body.video_id === videoId && !body.reply_to
        if (answer.ok) {
          if (isShown) setFlashing(true)
          return
        }
        const restored = restoreDraft(personId, body)
        if (body.reply_to) {
          const isFinal = answer.status === 404 || answer.status === 409
          alerts.fail(
            isFinal ? 'This comment takes no replies any more.' : 'Failed to add your reply. Please try again.',
          )
          return
        }
        alerts.fail('Failed to add comment. Please try again.')
        if (isShown) setDraft(restored)
      }),
    [outbox, alerts, personId, playlistId, videoId],
  )

  useEffect(() => {
    if (!flashing) return
    const timer = setTimeout(() => setFlashing(false), limits.commentFlashMs)
    return () => clearTimeout(timer)
  }, [flashing])

  const currentSecond = () => Math.max(0, Math.floor(position()))

  function changeText(next: string) {
    if (next.trim() === '') return changeDraft({ text: next, failed: draft.failed })
    changeDraft({ ...draft, text: next, beganAt: draft.beganAt ?? currentSecond() })
  }

  function send() {
    if (text === '' || remaining < 0) return
    const failedId = draft.failed?.text === text ? draft.failed.id : undefined
    const id = failedId ?? newUuid()
    changeDraft({ text: '' })
    outbox.add({
      kind: 'comment',
      body: {
        playlist_id: playlistId,
        video_id: videoId,
        timestamp: draft.keepsBeginning ? (draft.beganAt ?? currentSecond()) : currentSecond(),
        comment: text,
        client_id: id,
      },
    })
    onAdd(id)
  }

  function sendByKey(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isComposing(event.nativeEvent)) return
    event.preventDefault()
    send()
  }

  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        // A browser takes the focus from a button that becomes disabled. After a click or tap no
        // focus is visible, and a focused text field would open the keyboard of a phone.
        if (sendButton.current?.matches(':focus-visible')) textarea.current?.focus()
        send()
      }}
    >
      <div className={styles.second}>
        <label htmlFor={field} className={styles.label}>
          Comment at:{' '}
          {draft.keepsBeginning ? (
            <span className="wl-figures">{formatPosition(draft.beganAt ?? 0)}</span>
          ) : (
            <CurrentPosition shownSecond={shownSecond} />
          )}
        </label>
        {draft.beganAt === undefined ? null : (
          <SecondChoice
            beganAt={draft.beganAt}
            keepsBeginning={draft.keepsBeginning ?? false}
            shownSecond={shownSecond}
            onChange={keepsBeginning => changeDraft({ ...draft, keepsBeginning })}
          />
        )}
      </div>
      <textarea
        ref={textarea}
        id={field}
        className={styles.text}
        rows={3}
        dir="auto"
        placeholder="Share your thoughts about this video"
        value={draft.text}
        aria-describedby={`${field}-hint`}
        aria-invalid={remaining < 0 || undefined}
        onChange={event => changeText(event.currentTarget.value)}
        onKeyDown={sendByKey}
      />
      <div className={styles.send}>
        <div id={`${field}-hint`} className={styles.hint}>
          Your comments help supervisors track engagement.
          <span className={styles.shortcut}> {sendKeys} sends.</span>
          {remaining <= countdownFrom ? (
            <span className={styles.left} data-over={remaining < 0 || undefined}>
              {' '}
              {remaining < 0 ? `${-remaining} characters too many.` : `${remaining} characters left.`}
            </span>
          ) : null}
        </div>
        <Button
          ref={sendButton}
          type="submit"
          disabled={text === '' || remaining < 0}
          color={flashing ? 'green' : undefined}
          className={flashing ? styles.flash : undefined}
          data-flash={flashing || undefined}
        >
          {flashing ? '✓ Sent' : 'Send'}
        </Button>
      </div>
      <span role="status" className="wl-hidden">
        {flashing ? 'Comment sent' : ''}
      </span>
    </form>
  )
}

interface SecondChoiceProps extends Pick<CommentFormProps, 'shownSecond'> {
  beganAt: number
  keepsBeginning: boolean
  onChange: (keepsBeginning: boolean) => void
}

/** A careful sentence takes a while: the comment may keep the second at which it was begun. */
function SecondChoice({ beganAt, keepsBeginning, shownSecond, onChange }: SecondChoiceProps) {
  const differs = useSubscribable(shownSecond, second => second !== beganAt)
  if (!keepsBeginning && !differs) return null
  return (
    <Button type="button" size="compact-xs" variant="subtle" onClick={() => onChange(!keepsBeginning)}>
      {keepsBeginning ? 'Use the current second' : `Use ${formatPosition(beganAt)}, when you began`}
    </Button>
  )
}

/** A component of its own, because it renders every second. */
function CurrentPosition({ shownSecond }: Pick<CommentFormProps, 'shownSecond'>) {
  return <span className="wl-figures">{formatPosition(useSubscribable(shownSecond))}</span>
}
