import { Textarea } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useRef, useState } from 'react'
import type { Failure } from '../../../api/failure.ts'

/** The optional reason of changed terms. */
export function useReasonField() {
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  const input = useRef<HTMLTextAreaElement>(null)

  /** Shows the refusal at the field if it is about the reason, and returns whether it is. */
  function showReasonRefusal(failure: Failure): boolean {
    const refusal = failure.errors?.find(({ path }) => path === 'reason')
    if (!refusal) return false
    setProblem(`The reason ${refusal.message}`)
    input.current?.focus()
    return true
  }

  const field = (
    <Textarea
      ref={input}
      label="Reason"
      description="Optional. Shown to these people and to their superiors."
      rows={3}
      maxLength={limits.reasonMaxLength}
      value={reason}
      error={problem}
      onChange={event => {
        setReason(event.currentTarget.value)
        setProblem(undefined)
      }}
    />
  )
  return { field, reason: reason.trim(), showReasonRefusal }
}
