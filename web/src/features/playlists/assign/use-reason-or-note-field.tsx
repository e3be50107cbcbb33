import { Textarea } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useRef, useState } from 'react'
import type { Failure } from '../../../api/failure.ts'

const fields = {
  reason: { label: 'Reason', description: 'Optional. Shown to these people and to their superiors.' },
  note: { label: 'Note', description: 'Optional. These people see it in the notification and with the task.' },
  groupNote: {
    label: 'Note',
    description: 'Optional. Members, also future ones, see it in the notification and with the task.',
  },
} as const

/** The names of the fields in calls. */
const paths = { reason: 'reason', note: 'note', groupNote: 'note' } as const

/** The optional reason of changed terms, or the optional note to people who get a task. */
export function useReasonOrNoteField(name: keyof typeof fields) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const input = useRef<HTMLTextAreaElement>(null)

  /** Shows the refusal at the field if it is about this text, and returns whether it is. */
  function showRefusal(failure: Failure): boolean {
    const refusal = failure.errors?.find(({ path }) => path === paths[name])
    if (!refusal) return false
    setProblem(`The ${paths[name]} ${refusal.message}`)
    input.current?.focus()
    return true
  }

  const field = (
    <Textarea
      ref={input}
      {...fields[name]}
      rows={3}
      maxLength={limits.reasonMaxLength}
      value={text}
      error={problem}
      onChange={event => {
        setText(event.currentTarget.value)
        setProblem(undefined)
      }}
    />
  )
  return { field, text: text.trim(), showRefusal }
}
