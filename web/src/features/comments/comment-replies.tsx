import { Button } from '@mantine/core'
import type { Comment } from '@watchline/contracts/engagement'
import { useEffect, useState } from 'react'
import { newUuid } from '../../api/new-uuid.ts'
import { formatCount, formatPosition } from '../../ui/dates/format.ts'
import { useSubscribable } from '../../ui/hooks/use-subscribable.ts'
import { CommentBody } from './comment-body.tsx'
import { CommentTextForm } from './comment-text-form.tsx'
import styles from './comments.module.css'
import { draftOfReply, readDraft, restoreDraft, type StoredDraft, writeDraft } from './draft-store.ts'
import { TemporaryBody } from './temporary-body.tsx'
import type { CommentedVideo, TemporaryComment } from './use-comments.ts'

interface CommentRepliesProps {
  comment: Comment
  /** Own replies that are not in the server's list yet. */
  unsent: readonly TemporaryComment[]
  personId: string
  video: CommentedVideo
}

/** The replies to a comment, and the form for another one. */
export function CommentReplies({ comment, unsent, personId, video }: CommentRepliesProps) {
  const { id, user_name, timestamp, replies = [], may_reply } = comment
  const { playlistId, videoId, outbox } = video
  const online = useSubscribable(outbox.online)
  const [draft, setDraft] = useState(() => readDraft(draftOfReply(personId, id)))
  const [writing, setWriting] = useState(draft.text !== '')
  const subject = `${user_name} at ${formatPosition(timestamp)}`
  const count = replies.length + unsent.length

  // A refused reply returns to the field. The form for new comments reports the refusal.
  useEffect(
    () =>
      outbox.onAnswered(({ body }, answer) => {
        if (answer.ok || body.reply_to !== id) return
        setDraft(restoreDraft(personId, body))
        setWriting(true)
      }),
    [outbox, personId, id],
  )

  function changeDraft(next: StoredDraft) {
    setDraft(next)
    writeDraft(draftOfReply(personId, id), next)
  }

  function send(text: string) {
    const failedId = draft.failed?.text === text ? draft.failed.id : undefined
    outbox.add({
      kind: 'comment',
      body: {
        playlist_id: playlistId,
        video_id: videoId,
        timestamp,
        reply_to: id,
        comment: text,
        client_id: failedId ?? newUuid(),
      },
    })
    close()
  }

  function close() {
    changeDraft({ text: '' })
    setWriting(false)
  }

  return (
    <>
      {count > 0 ? (
        <div className={styles.answer}>
          <p className={styles.kept}>{formatCount(count, 'reply', 'replies')}</p>
          <ul aria-label={`Replies to ${subject}`}>
            {replies.map(reply => (
              <li key={reply.id} data-id={reply.id} className={styles.reply}>
                <CommentBody comment={reply} personId={personId} />
              </li>
            ))}
            {unsent.map(reply => (
              <li key={reply.id} data-id={reply.id} className={styles.reply} data-temporary>
                <TemporaryBody comment={reply} online={online} />
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {writing ? (
        <CommentTextForm
          label={`Your reply to ${user_name}`}
          submitLabel="Send reply"
          rows={2}
          text={draft.text}
          onChange={text => changeDraft({ ...draft, text })}
          onSubmit={send}
          onCancel={close}
        />
      ) : may_reply ? (
        <Button size="compact-xs" variant="subtle" onClick={() => setWriting(true)}>
          Reply<span className="wl-hidden"> to {subject}</span>
        </Button>
      ) : null}
    </>
  )
}
