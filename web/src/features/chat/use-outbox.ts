import { useEffect, useState } from 'react'
import { useDispatch } from 'react-redux'
import { useConnection } from '../../api/connection.ts'
import { type ChatDispatch, postMessage, showSent } from './chat-api.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { openUnsentStore } from './unsent.ts'

/** One for as long as the person is here; what it could not send is sent the next time they are, or the server is back. */
export function useOutbox(personId: string): Outbox | undefined {
  const dispatch = useDispatch<ChatDispatch>()
  const connection = useConnection()
  const [outbox, setOutbox] = useState<Outbox>()

  useEffect(() => {
    const made = createOutbox({
      personId,
      store: openUnsentStore(personId),
      post: postMessage,
      onSent: (roomId, message) => showSent(dispatch, roomId, message),
      locks: navigator.locks as LockManager | undefined,
    })
    setOutbox(made)
    window.addEventListener('online', made.flush)
    return () => {
      window.removeEventListener('online', made.flush)
      made.close()
      setOutbox(undefined)
    }
  }, [personId, dispatch])

  useEffect(() => {
    if (connection === 'live') outbox?.flush()
  }, [connection, outbox])

  return outbox
}
