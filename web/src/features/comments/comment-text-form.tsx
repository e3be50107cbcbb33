import { Button } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { type FormEvent, useEffect, useId, useRef } from 'react'
import { isComposing } from '../../ui/controls/is-composing.ts'
import styles from './comments.module.css'

interface CommentTextFormProps {
  label: string
  submitLabel: string
  text: string
  onChange: (text: string) => void
  /** Gets the trimmed text, which has a valid length. */
  onSubmit: (text: string) => void
  onCancel: () => void
  isSending?: boolean
  /** The reason that the text is not accepted yet. */
  problem?: string
  rows?: number
}

/**
 * The text of one comment or reply in the list. It takes the focus, but not from another field: a
 * stored draft may appear while the person writes there.
 */
export function CommentTextForm(props: CommentTextFormProps) {
  const { label, submitLabel, text, onChange, onSubmit, onCancel, isSending = false, problem = '', rows = 3 } = props
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const trimmed = text.trim()
  const excess = trimmed.length - limits.commentMaxLength
  const isValid = trimmed !== '' && excess <= 0

  useEffect(() => {
    if (!document.activeElement?.matches('input, textarea')) field.current?.focus()
  }, [])

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isValid && !isSending) onSubmit(trimmed)
  }

  return (
    <form className={styles.editor} onSubmit={submit}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <textarea
        id={id}
        ref={field}
        className={styles.text}
        rows={rows}
        dir="auto"
        value={text}
        aria-invalid={excess > 0 || undefined}
        onChange={event => onChange(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === 'Escape' && !isComposing(event.nativeEvent)) onCancel()
        }}
      />
      {excess > 0 ? <p className={styles.problem}>{excess} characters too many.</p> : null}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.actions}>
        <Button type="submit" size="compact-sm" disabled={!isValid} loading={isSending}>
          {submitLabel}
        </Button>
        <Button size="compact-sm" variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
