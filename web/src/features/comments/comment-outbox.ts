import { addComment } from '@watchline/contracts/engagement'
import type { BodyInputOf, ResponseOf } from '@watchline/contracts/operation'
import { useEffect, useState } from 'react'
import { beforeSignOut } from '../../api/before-sign-out.ts'
import { callOperation } from '../../api/call-operation.ts'
import { createDatabaseStorage } from '../../outbox/database-storage.ts'
import { createOutbox } from '../../outbox/outbox.ts'
import type { Outbox, OutboxOptions } from '../../outbox/outbox-types.ts'
import { isTemporary } from '../../outbox/retry-policy.ts'

/** `client_id` makes a repetition harmless. */
export type CommentBody = BodyInputOf<typeof addComment> & { client_id: string }

export interface CommentCall {
  kind: 'comment'
  body: CommentBody
}

type AddedComment = ResponseOf<typeof addComment>
/** One outbox for the whole session and all its videos. */
export type CommentOutbox = Outbox<CommentCall, AddedComment>

export interface CommentOutboxOptions extends Partial<OutboxOptions<CommentCall, AddedComment>> {
  /** A form is on the screen and gets the text of a refused comment back. */
  hasForm?: () => boolean
  /** Gets a refused comment while there is no form. Without it, the comment stays in the outbox. */
  onRefused?: (body: CommentBody) => void
}

/** The owner of a person's unsent comments in the storage. */
export function commentOwnerOf(personId: string): string {
  return `${personId}~comments`
}

/**
 * Unsent comments. They have their own outbox, because the player's reports may wait for the lock.
 */
export function createCommentOutbox(
  personId: string,
  { hasForm = () => true, onRefused, ...options }: CommentOutboxOptions = {},
): CommentOutbox {
  const owner = commentOwnerOf(personId)
  const log = options.log ?? ((message, detail) => console.warn(`comment outbox: ${message}`, detail))
  const outbox = createOutbox<CommentCall, AddedComment>(
    {
      lockName: `watchline-journal-${owner}`,
      laneOf: () => 'reports',
      // The writer sees a refusal at once and can act. A comment that was attempted before stays.
      decide(failure, attemptedBefore) {
        if (failure.status === 0 || (isTemporary(failure) && (attemptedBefore || !hasForm()))) return 'retry'
        return hasForm() || onRefused ? 'drop' : 'keep'
      },
      idOf: ({ body }) => body.client_id,
      finishesOnClose: true,
    },
    {
      locks: navigator.locks as LockManager | undefined,
      online: navigator.onLine,
      storage: createDatabaseStorage(owner, log),
      request: ({ body }, { id, ...options }) =>
        callOperation(addComment, { body }, { ...options, headers: { 'x-request-id': id } }),
      ...options,
      log,
    },
  )
  if (onRefused)
    outbox.onAnswered(({ body }, answer) => {
      if (!answer.ok && !hasForm()) onRefused(body)
    })
  return outbox
}

/** One outbox while the person stays on the screen, which has the form. */
export function useCommentOutbox(personId: string | undefined): CommentOutbox | undefined {
  const [outbox, setOutbox] = useState<CommentOutbox>()
  useEffect(() => {
    if (personId === undefined) return
    let isLeft = false
    const created = createCommentOutbox(personId, { hasForm: () => !isLeft })
    const flush = () => void created.flush()
    const sendIfHidden = () => {
      if (document.visibilityState === 'hidden') created.sendOnHide()
    }
    const stopSignOut = beforeSignOut(created.flush)
    setOutbox(created)
    window.addEventListener('online', flush)
    window.addEventListener('pagehide', created.sendOnHide)
    document.addEventListener('visibilitychange', sendIfHidden)
    return () => {
      isLeft = true
      stopSignOut()
      window.removeEventListener('online', flush)
      window.removeEventListener('pagehide', created.sendOnHide)
      document.removeEventListener('visibilitychange', sendIfHidden)
      created.sendOnHide()
      created.close()
      setOutbox(undefined)
    }
  }, [personId])
  return outbox
}
