import { Button } from '@mantine/core'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, useEffect, useState } from 'react'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { type ReadDuration, readMediaDuration } from '../draft/media-duration.ts'
import { checkDraft, emptyDraft, fieldErrors, loadDraft, saveDraft } from '../draft/playlist-draft.ts'
import { TextFields, VideoFields } from '../draft/playlist-fields.tsx'
import { type ChangeDraft, useFieldErrors } from '../draft/use-field-errors.ts'
import styles from '../playlists.module.css'
import { useCreatePlaylistMutation } from '../playlists-api.ts'

interface NewPlaylistFormProps {
  /** The storage key of the draft in this tab. */
  draftKey: string
  /** A sentence about the next step after the creation. */
  nextStep: string
  onCancel: () => void
  onCreated: (playlist: Playlist) => void
  readDuration?: ReadDuration
}

/** Creates a playlist by hand. */
export function NewPlaylistForm({
  draftKey,
  nextStep,
  onCancel,
  onCreated,
  readDuration = readMediaDuration,
}: NewPlaylistFormProps) {
  const alerts = useAlerts()
  const [draft, setDraft] = useState(() => loadDraft(draftKey))
  const { form, errors, setErrors, clearErrors } = useFieldErrors()
  const { isSending, refusal, clearRefusal, send } = useSending()
  const [create] = useCreatePlaylistMutation()
  const isEmpty = draft.title === '' && draft.description === '' && draft.videos.length === 0

  useEffect(() => saveDraft(draftKey, draft), [draftKey, draft])

  const changeDraft: ChangeDraft = (change, isResolved) => {
    setDraft(change)
    clearRefusal()
    clearErrors(isResolved)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const draftCheck = checkDraft(draft)
    if (!draftCheck.ok) return setErrors(draftCheck.errors)
    const playlist = await send(
      () => create({ body: draftCheck.body }),
      'The playlist could not be created. Please try again.',
    )
    if (!playlist) return
    saveDraft(draftKey, emptyDraft)
    setDraft(emptyDraft)
    alerts.succeed('Playlist created', nextStep)
    onCreated(playlist)
  }

  useEffect(() => {
    if (refusal) setErrors(fieldErrors(refusal.failure.errors ?? []))
  }, [refusal, setErrors])

  return (
    <form ref={form} className={styles.stack} onSubmit={submit} noValidate>
      <TextFields draft={draft} errors={errors} changeDraft={changeDraft} />
      <VideoFields draft={draft} errors={errors} changeDraft={changeDraft} readDuration={readDuration} />
      <p role="alert" className={styles.problem}>
        {refusal && `${refusal.message} Nothing you typed is lost.`}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={isSending}>
          Create Playlist
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        {isEmpty ? null : (
          <Button
            variant="subtle"
            ms="auto"
            onClick={() =>
              changeDraft(
                () => emptyDraft,
                () => true,
              )
            }
          >
            Discard draft
          </Button>
        )}
      </div>
    </form>
  )
}
