import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef } from 'react'
import { formatNumber } from '../../../ui/dates/format.ts'
import styles from '../notifications.module.css'

interface AnswerFieldProps {
  id: string
  label: string
  text: string
  onChange: (text: string) => void
}

/** Whether a trimmed text exceeds the limit of a comment. */
export function isTooLong(text: string): boolean {
  return text.length > limits.commentMaxLength
}

/**
 * The comment of an answer. It takes the focus if it opens empty, but not if it shows a stored
 * draft.
 */
export function AnswerField({ id, label, text, onChange }: AnswerFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const startedEmpty = useRef(text === '')
  const length = text.trim().length

  useEffect(() => {
    if (startedEmpty.current) field.current?.focus()
  }, [])

  return (
    <div className={styles.field}>
      <label htmlFor={`answer-${id}`}>{label}</label>
      <textarea
        id={`answer-${id}`}
        ref={field}
        rows={2}
        dir="auto"
        value={text}
        aria-describedby={`answer-${id}-length`}
        aria-invalid={length > limits.commentMaxLength || undefined}
        onChange={event => onChange(event.currentTarget.value)}
      />
      <span
        id={`answer-${id}-length`}
        className={styles.length}
        data-over={length > limits.commentMaxLength || undefined}
      >
        {length > limits.commentMaxLength
          ? `${formatNumber(length - limits.commentMaxLength)} characters too many`
          : `${formatNumber(length)} of ${formatNumber(limits.commentMaxLength)} characters`}
      </span>
    </div>
  )
}
