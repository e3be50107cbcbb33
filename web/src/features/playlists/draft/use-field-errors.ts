import { useEffect, useRef, useState } from 'react'
import type { FieldErrors, PlaylistDraft } from './playlist-draft.ts'

/** The errors of a playlist form by field. New errors move the focus to the first invalid field. */
export function useFieldErrors() {
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<FieldErrors>({})

  useEffect(() => {
    if (Object.keys(errors).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [errors])

  /** Removes the errors of the matching fields only. */
  function clearErrors(isResolved: (field: string) => boolean) {
    setErrors(previous => {
      const remainingEntries = Object.entries(previous).filter(([field]) => !isResolved(field))
      return remainingEntries.length === Object.keys(previous).length ? previous : Object.fromEntries(remainingEntries)
    })
  }

  return { form, errors, setErrors, clearErrors }
}

/** A change of the draft, and the fields whose errors it resolves. */
export type ChangeDraft = (
  change: (draft: PlaylistDraft) => PlaylistDraft,
  isResolved: (field: string) => boolean,
) => void
