import { useEffect, useState } from 'react'
import { useDispatch } from 'react-redux'
import { beforeSignOut } from '../../../api/before-sign-out.ts'
import { useConnection } from '../../../api/connection.ts'
import type { CacheDispatch } from '../../../api/gateway.ts'
import { addSentMessage, postMessage } from '../chat-api.ts'
import { type ChatOutbox, createChatOutbox } from './chat-outbox.ts'

/** One outbox while the person is signed in. Unsent messages are sent at the next visit. */
export function useChatOutbox(personId: string): ChatOutbox | undefined {
  const dispatch = useDispatch<CacheDispatch>()
  const connection = useConnection()
  const [outbox, setOutbox] = useState<ChatOutbox>()

  useEffect(() => {
    const created = createChatOutbox({
      personId,
      request: postMessage,
      locks: navigator.locks as LockManager | undefined,
    })
    created.onAnswered(({ roomId }, answer) => {
      if (answer.ok) addSentMessage(dispatch, roomId, answer.data.message)
    })
    const flush = () => void created.flush()
    const stopSignOut = beforeSignOut(created.flush)
    setOutbox(created)
    window.addEventListener('online', flush)
    return () => {
      window.removeEventListener('online', flush)
      stopSignOut()
      created.close()
      setOutbox(undefined)
    }
  }, [personId, dispatch])

  useEffect(() => {
    if (connection === 'live') void outbox?.flush()
  }, [connection, outbox])

  return outbox
}
