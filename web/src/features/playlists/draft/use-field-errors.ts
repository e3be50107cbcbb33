import { useEffect, useRef, useState } from 'react'
import type { FieldErrors, PlaylistDraft } from './playlist-draft.ts'

/** What a form about a playlist says about its fields; the keyboard goes to the first field that is wrong. */
export function useFieldErrors() {
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<FieldErrors>({})

  useEffect(() => {
    if (Object.keys(errors).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [errors])

  /** What is wrong with other fields stays said. */
  function mend(mends: (field: string) => boolean) {
    setErrors(before => {
      const kept = Object.entries(before).filter(([field]) => !mends(field))
      return kept.length === Object.keys(before).length ? before : Object.fromEntries(kept)
    })
  }

  return { form, errors, setErrors, mend }
}

/** A change of the draft, and the fields that it mends. */
export type ChangeDraft = (change: (before: PlaylistDraft) => PlaylistDraft, mends: (field: string) => boolean) => void
