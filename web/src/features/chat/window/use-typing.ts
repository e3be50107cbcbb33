import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef, useState } from 'react'
import { onTyping } from '../../../api/live-hints.ts'
import { useTellTypingMutation } from '../chat-api.ts'

/** Whether the partner is writing. A new message ends it. */
export function usePartnerTyping(roomId: string, partnerId: string, newestSeq: number | undefined): boolean {
  const [typing, setTyping] = useState(false)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onTyping((room, by) => {
      if (room !== roomId || by !== partnerId) return
      setTyping(true)
      clearTimeout(timer)
      timer = setTimeout(() => setTyping(false), limits.typingDisplayMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [roomId, partnerId])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message ends the typing
  useEffect(() => setTyping(false), [newestSeq])

  return typing
}

/** Reports to the partner that the person is writing, every few seconds at most; best effort. */
export function useReportTyping(partnerId: string): () => void {
  const [sendTyping] = useTellTypingMutation()
  const reportedAt = useRef(Number.NEGATIVE_INFINITY)
  return () => {
    const now = Date.now()
    if (now - reportedAt.current < limits.typingReportMs) return
    reportedAt.current = now
    void sendTyping({ body: { recipient_id: partnerId } })
  }
}
