import { useEffect } from 'react'
import { useDispatch } from 'react-redux'
import { gateway } from '../api/gateway.ts'
import { createLiveHints } from '../api/live-hints.ts'
import { openStream } from '../api/stream.ts'

/**
 * Connects the signed-in person's live stream to the query cache. Polling covers what it misses.
 */
export function PersonStream() {
  const dispatch = useDispatch()
  const personId = gateway.endpoints.getSession.useQueryState().data?.id
  useEffect(() => {
    if (personId === undefined || typeof EventSource === 'undefined') return
    const hints = createLiveHints({ invalidate: tags => dispatch(gateway.util.invalidateTags([...tags])) })
    const stream = openStream({ onHint: hints.handle })
    const handleVisibility = () => {
      if (document.visibilityState === 'visible') hints.handleVisible()
    }
    document.addEventListener('visibilitychange', handleVisibility)
    return () => {
      document.removeEventListener('visibilitychange', handleVisibility)
      stream.close()
      hints.close()
    }
  }, [personId, dispatch])
  return null
}
