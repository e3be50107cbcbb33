import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef } from 'react'
import styles from '../notifications.module.css'

interface AnswerFieldProps {
  id: string
  label: string
  words: string
  onWords: (words: string) => void
}

/** Whether words, trimmed, are more than an answer may hold. */
export function isTooLong(words: string): boolean {
  return words.length > limits.commentMaxLength
}

/** The words that go with an answer. It takes the keyboard when it is opened empty, not when the menu shows a draft again. */
export function AnswerField({ id, label, words, onWords }: AnswerFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const fresh = useRef(words === '')
  const length = words.trim().length

  useEffect(() => {
    if (fresh.current) field.current?.focus()
  }, [])

  return (
    <div className={styles.field}>
      <label htmlFor={`answer-${id}`}>{label}</label>
      <textarea
        id={`answer-${id}`}
        ref={field}
        rows={2}
        dir="auto"
        value={words}
        aria-describedby={`answer-${id}-length`}
        aria-invalid={length > limits.commentMaxLength || undefined}
        onChange={event => onWords(event.currentTarget.value)}
      />
      <span
        id={`answer-${id}-length`}
        className={styles.length}
        data-over={length > limits.commentMaxLength || undefined}
      >
        {length > limits.commentMaxLength
          ? `${(length - limits.commentMaxLength).toLocaleString()} characters too many`
          : `${length.toLocaleString()} of ${limits.commentMaxLength.toLocaleString()} characters`}
      </span>
    </div>
  )
}
