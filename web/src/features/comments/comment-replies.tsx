import { Button } from '@mantine/core'
import type { Comment } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useId, useRef, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { formatCount, formatPosition } from '../../ui/format.ts'
import { newUuid } from '../../ui/new-uuid.ts'
import { CommentBody } from './comment-body.tsx'
import styles from './comments.module.css'
import { useAddCommentMutation } from './comments-api.ts'

interface CommentRepliesProps {
  comment: Comment
  playlistId: string
  videoId: string
}

/** The replies to a comment, and the form for another one. */
export function CommentReplies({ comment, playlistId, videoId }: CommentRepliesProps) {
  const { id, user_name, timestamp, replies = [], may_reply } = comment
  const [writing, setWriting] = useState(false)
  const subject = `${user_name} at ${formatPosition(timestamp)}`
  return (
    <>
      {replies.length > 0 ? (
        <div className={styles.answer}>
          <p className={styles.kept}>{formatCount(replies.length, 'reply', 'replies')}</p>
          <ul aria-label={`Replies to ${subject}`}>
            {replies.map(reply => (
              <li key={reply.id} data-id={reply.id} className={styles.reply}>
                <CommentBody comment={reply} />
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {writing ? (
        <ReplyForm
          label={`Your reply to ${user_name}`}
          target={{ playlist_id: playlistId, video_id: videoId, timestamp, reply_to: id }}
          onClose={() => setWriting(false)}
        />
      ) : may_reply ? (
        <Button size="compact-xs" variant="subtle" onClick={() => setWriting(true)}>
          Reply<span className="wl-hidden"> to {subject}</span>
        </Button>
      ) : null}
    </>
  )
}

interface ReplyFormProps {
  label: string
  target: { playlist_id: string; video_id: string; timestamp: number; reply_to: string }
  onClose: () => void
}

/** After a failure the text stays. The same id makes a repeated attempt harmless. */
function ReplyForm({ label, target, onClose }: ReplyFormProps) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState('')
  const clientId = useRef(newUuid())
  const [add, { isLoading }] = useAddCommentMutation()
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const comment = text.trim()
  const excess = comment.length - limits.commentMaxLength
  const isValid = comment !== '' && excess <= 0

  useEffect(() => field.current?.focus(), [])

  async function send() {
    if (!isValid || isLoading) return
    setProblem('')
    const { error } = await add({ body: { ...target, comment, client_id: clientId.current } })
    if (!error) return onClose()
    const { status, detail } = asFailure(error)
    const isFinal = status === 404 || status === 409
    setProblem(
      isFinal
        ? 'This comment takes no replies any more.'
        : `Your reply could not be sent. Nothing was lost. Please try again.${detail ? ` (${detail})` : ''}`,
    )
  }

  return (
    <form
      className={styles.editor}
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <textarea
        id={id}
        ref={field}
        className={styles.text}
        rows={2}
        dir="auto"
        value={text}
        aria-invalid={excess > 0 || undefined}
        onChange={event => {
          // A changed text is another reply, also if the answer to the first attempt was lost.
          clientId.current = newUuid()
          setText(event.currentTarget.value)
        }}
      />
      {excess > 0 ? <p className={styles.problem}>{excess} characters too many.</p> : null}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.actions}>
        <Button type="submit" size="compact-sm" disabled={!isValid} loading={isLoading}>
          Send reply
        </Button>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
