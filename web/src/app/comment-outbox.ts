import type { Comment } from '@watchline/contracts/engagement'
import { useEffect, useState } from 'react'
import type { CommentDraft, CommentOutbox } from '../features/comments/comment-outbox.ts'
import { createJournal, type JournalOptions } from '../features/player/journal.ts'
import { mayPass } from '../features/player/journal-rules.ts'
import type { Answer } from '../features/player/player-api.ts'
import { createSubscribable } from '../ui/subscribable.ts'
import { playerApi } from './player-api.ts'

/** What is not answered waits. A refusal is told at once, so that the writer can act; what has waited already waits on if it may. */
const tryAgain: JournalOptions['tryAgain'] = (_call, answer, before) =>
  answer.status === 0 || (before && mayPass(answer))

/** Comments go through a journal of their own: reports of playback that cannot be sent yet are not to hold them up. */
export function createCommentOutbox(personId: string, options: Partial<JournalOptions> = {}) {
  const journal = createJournal({
    api: playerApi,
    locks: navigator.locks as LockManager | undefined,
    online: navigator.onLine,
    ...options,
    personId: `${personId}~comments`,
    tryAgain,
  })
  const waiting = createSubscribable<readonly CommentDraft[]>([])
  const online = createSubscribable(journal.status.get().online)
  const takeOver = () =>
    waiting.set(journal.waiting.get().flatMap(call => (call.kind === 'comment' ? [call.body] : [])))
  const stops = [
    journal.waiting.subscribe(takeOver),
    journal.status.subscribe(() => online.set(journal.status.get().online)),
  ]
  const outbox: CommentOutbox = {
    waiting,
    online,
    send: draft => journal.add({ kind: 'comment', body: draft }),
    onOutcome: listener =>
      journal.onAnswered((call, answer) => {
        if (call.kind !== 'comment') return
        listener(call.body, answer.ok ? { taken: true, id: idIn(answer) } : { taken: false })
      }),
  }
  return {
    outbox,
    journal,
    close() {
      for (const stop of stops) stop()
      journal.sendOnHide()
      journal.close()
    },
  }
}

function idIn(answer: Answer): string | undefined {
  return answer.ok ? (answer.data as { comment?: Comment } | undefined)?.comment?.id : undefined
}

/** One for as long as the person is here and there is something to comment on; what it could not send is sent the next time they are. */
export function useCommentOutbox(personId: string | undefined): CommentOutbox | undefined {
  const [outbox, setOutbox] = useState<CommentOutbox>()
  useEffect(() => {
    if (personId === undefined) return
    const made = createCommentOutbox(personId)
    const online = () => void made.journal.flush()
    const hidden = () => {
      if (document.visibilityState === 'hidden') made.journal.sendOnHide()
    }
    setOutbox(made.outbox)
    window.addEventListener('online', online)
    window.addEventListener('pagehide', made.journal.sendOnHide)
    document.addEventListener('visibilitychange', hidden)
    return () => {
      window.removeEventListener('online', online)
      window.removeEventListener('pagehide', made.journal.sendOnHide)
      document.removeEventListener('visibilitychange', hidden)
      made.close()
      setOutbox(undefined)
    }
  }, [personId])
  return outbox
}
