import { Button } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useAlerts } from '../../ui/alerts.tsx'
import { formatPosition } from '../../ui/format.ts'
import { newUuid } from '../../ui/new-uuid.ts'
import type { Subscribable } from '../../ui/subscribable.ts'
import { useSubscribable } from '../../ui/use-subscribable.ts'
import styles from './comments.module.css'
import { readDraft, type StoredDraft, writeDraft } from './draft-store.ts'
import type { CommentedVideo } from './use-comments.ts'

interface CommentFormProps extends CommentedVideo {
  personId: string
  clock: Subscribable<{ position: number }>
  /** Seconds, at this very moment. */
  position: () => number
}

/** From here on the writer is told how much room is left. */
const toldWhenLeft = 200

/** One for each video (give it a key): what is written about one video stays with it. */
export function CommentForm({ personId, playlistId, videoId, outbox, clock, position }: CommentFormProps) {
  const [draft, setDraft] = useState(() => readDraft(personId, playlistId, videoId))
  const [flashing, setFlashing] = useState(false)
  const field = useId()
  const alerts = useAlerts()
  const text = draft.text.trim()
  const left = limits.commentMaxLength - text.length

  function keep(next: StoredDraft) {
    setDraft(next)
    writeDraft(personId, playlistId, videoId, next)
  }

  useEffect(
    () =>
      outbox.onAnswered(({ body: sent }, answer) => {
        const here = sent.playlist_id === playlistId && sent.video_id === videoId
        if (answer.ok) {
          if (here) setFlashing(true)
          return
        }
        alerts.fail('Failed to add comment. Please try again.')
        const before = readDraft(personId, sent.playlist_id, sent.video_id)
        const failed = { text: sent.comment, id: sent.client_id }
        const next = { text: before.text.trim() ? `${sent.comment}\n${before.text}` : sent.comment, failed }
        writeDraft(personId, sent.playlist_id, sent.video_id, next)
        if (here) setDraft(next)
      }),
    [outbox, alerts, personId, playlistId, videoId],
  )

  useEffect(() => {
    if (!flashing) return
    const timer = setTimeout(() => setFlashing(false), limits.commentFlashMs)
    return () => clearTimeout(timer)
  }, [flashing])

  function send() {
    if (text === '' || left < 0) return
    const again = draft.failed?.text === text ? draft.failed.id : undefined
    keep({ text: '' })
    outbox.add({
      kind: 'comment',
      body: {
        playlist_id: playlistId,
        video_id: videoId,
        timestamp: Math.max(0, Math.floor(position())),
        comment: text,
        client_id: again ?? newUuid(),
      },
    })
  }

  function sendByKey(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <label htmlFor={field} className={styles.label}>
        Comment at: <At clock={clock} />
      </label>
      <textarea
        id={field}
        className={styles.text}
        rows={3}
        dir="auto"
        placeholder="Share your thoughts about this video"
        value={draft.text}
        aria-describedby={`${field}-hint`}
        aria-invalid={left < 0 || undefined}
        onChange={event => keep({ ...draft, text: event.currentTarget.value })}
        onKeyDown={sendByKey}
      />
      <div className={styles.send}>
        <div id={`${field}-hint`} className={styles.hint}>
          Your comments help supervisors track engagement. Ctrl+Enter sends.
          {left <= toldWhenLeft ? (
            <span className={styles.left} data-over={left < 0 || undefined}>
              {' '}
              {left < 0 ? `${-left} characters too many.` : `${left} characters left.`}
            </span>
          ) : null}
        </div>
        <Button
          type="submit"
          disabled={text === '' || left < 0}
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

/** Alone, because it is drawn again every second. */
function At({ clock }: Pick<CommentFormProps, 'clock'>) {
  return <span className="wl-figures">{useSubscribable(clock, ({ position }) => formatPosition(position))}</span>
}
