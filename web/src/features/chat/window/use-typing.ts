import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef, useState } from 'react'
import { onTyping } from '../../../api/live-hints.ts'
import { useTellTypingMutation } from '../chat-api.ts'

/** Whether the other one is writing just now; what they have written ends it. */
export function useOtherTyping(roomId: string, otherId: string, newestSeq: number | undefined): boolean {
  const [typing, setTyping] = useState(false)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onTyping((room, by) => {
      if (room !== roomId || by !== otherId) return
      setTyping(true)
      clearTimeout(timer)
      timer = setTimeout(() => setTyping(false), limits.typingDisplayMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [roomId, otherId])

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the new message that ends it
  useEffect(() => setTyping(false), [newestSeq])

  return typing
}

/** Gives what tells the other one that one is writing: every few seconds at most, and best effort. */
export function useTellTyping(otherId: string): () => void {
  const [tell] = useTellTypingMutation()
  const toldAt = useRef(Number.NEGATIVE_INFINITY)
  return () => {
    const now = Date.now()
    if (now - toldAt.current < limits.typingReportMs) return
    toldAt.current = now
    void tell({ body: { recipient_id: otherId } })
  }
}
