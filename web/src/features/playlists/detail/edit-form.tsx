import { Button } from '@mantine/core'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, useEffect, useState } from 'react'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import listStyles from '../../../ui/lists/list.module.css'
import {
  checkEdit,
  type DraftField,
  draftFromPlaylist,
  hasChanges,
  loadEdit,
  rebaseEdit,
} from '../draft/edited-draft.ts'
import { type ReadDuration, readMediaDuration } from '../draft/media-duration.ts'
import { fieldErrors, type PlaylistDraft } from '../draft/playlist-draft.ts'
import { TextFields, VideoFields } from '../draft/playlist-fields.tsx'
import { saveSessionDraft } from '../draft/session-draft.ts'
import { type ChangeDraft, useFieldErrors } from '../draft/use-field-errors.ts'
import styles from '../playlists.module.css'
import { useLazyReadPlaylistQuery, useUpdatePlaylistMutation } from '../playlists-api.ts'

interface EditFormProps {
  playlist: Playlist
  /** The storage key of the edit in this tab. */
  draftKey: string
  onCancel: () => void
  onSaved: (playlist: Playlist) => void
  readDuration?: ReadDuration
}

/**
 * Edits an own playlist. It never overwrites changes by others unseen, and never loses typed text.
 */
export function EditForm({ playlist, draftKey, onCancel, onSaved, readDuration = readMediaDuration }: EditFormProps) {
  const alerts = useAlerts()
  const [revision, setRevision] = useState(playlist.revision)
  const [edit, setEdit] = useState(() => loadEdit(draftKey, playlist))
  const [announcement, setAnnouncement] = useState('')
  const { form, errors, setErrors, clearErrors } = useFieldErrors()
  const saving = useSending()
  const loading = useSending()
  const [update] = useUpdatePlaylistMutation()
  const [readPlaylist] = useLazyReadPlaylistQuery()
  const isChanged = hasChanges(edit)
  const refusal = loading.refusal ?? saving.refusal
  const isImported = playlist.source !== null

  useEffect(
    () => saveSessionDraft(draftKey, isChanged ? { base: edit.base, draft: edit.draft } : undefined),
    [draftKey, edit, isChanged],
  )
  useEffect(() => {
    if (saving.refusal) setErrors(fieldErrors(saving.refusal.failure.errors ?? []))
  }, [saving.refusal, setErrors])

  const changeDraft: ChangeDraft = (change, isResolved) => {
    setEdit(previous => ({ ...previous, draft: change(previous.draft) }))
    if (saving.refusal?.failure.code !== 'edited_elsewhere') saving.clearRefusal()
    clearErrors(isResolved)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const editCheck = checkEdit(edit, revision)
    if (!editCheck.ok) return setErrors(editCheck.errors)
    const savedPlaylist = await saving.send(
      () => update({ params: { id: playlist.id }, body: editCheck.body }),
      'The playlist could not be saved. Please try again.',
    )
    if (!savedPlaylist) return
    saveSessionDraft(draftKey, undefined)
    alerts.succeed('Playlist saved')
    onSaved(savedPlaylist)
  }

  async function reloadPlaylist() {
    const response = await loading.send(async () => {
      const { data, error } = await readPlaylist(playlist.id)
      return { data: data && { playlist: data }, error: error ?? (data === null ? goneError : undefined) }
    }, 'Couldn’t load the playlist again. Please try again.')
    if (!response) return
    saving.clearRefusal()
    setErrors({})
    setRevision(response.playlist.revision)
    setEdit(previous => rebaseEdit(previous, draftFromPlaylist(response.playlist)))
    focusField('title')
    setAnnouncement('Loaded again. Your text is still here; check it and save.')
  }

  function discardChanges() {
    setEdit(({ base }) => ({ base, draft: base, conflicts: [] }))
    saving.clearRefusal()
    setErrors({})
    focusField('title')
  }

  /** Keeps the focus in the form when the pressed button disappears. */
  function focusField(field: DraftField) {
    const selector = { title: 'input', description: 'textarea', videos: '#add-video' }[field]
    form.current?.querySelector<HTMLElement>(selector)?.focus()
  }

  /** The version of others, for a field that both sides changed. */
  function conflictNote(field: DraftField) {
    if (!edit.conflicts.includes(field)) return undefined
    const acceptServerValue = () => {
      setEdit(({ base, draft, conflicts }) => ({
        base,
        draft: { ...draft, [field]: base[field] },
        conflicts: conflicts.filter(conflictingField => conflictingField !== field),
      }))
      focusField(field)
    }
    return <FieldConflict field={field} serverDraft={edit.base} onAccept={acceptServerValue} />
  }

  return (
    <form ref={form} className={styles.stack} onSubmit={submit} noValidate>
      <p role="status" className={styles.slow}>
        {announcement}
      </p>
      <TextFields
        draft={edit.draft}
        errors={errors}
        changeDraft={changeDraft}
        notes={{ title: conflictNote('title'), description: conflictNote('description') }}
      />
      {isImported ? (
        <p className={listStyles.dim}>
          Its {formatCount(playlist.videos.length, 'video')} come from YouTube. “Refresh from YouTube” reads them again.
        </p>
      ) : (
        <>
          {conflictNote('videos')}
          <VideoFields draft={edit.draft} errors={errors} changeDraft={changeDraft} readDuration={readDuration} />
        </>
      )}
      <div role="alert" className={styles.refusal}>
        {refusal ? <p className={styles.problem}>{refusal.message} Nothing you typed is lost.</p> : null}
      </div>
      {saving.refusal?.failure.code === 'edited_elsewhere' ? (
        <div className={styles.actions}>
          <Button variant="default" onClick={reloadPlaylist} loading={loading.isSending}>
            Load It Again
          </Button>
        </div>
      ) : null}
      <div className={styles.actions}>
        <Button type="submit" loading={saving.isSending} disabled={!isChanged}>
          Save Changes
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        {isChanged ? (
          <Button variant="subtle" ms="auto" onClick={discardChanges}>
            Discard changes
          </Button>
        ) : null}
      </div>
    </form>
  )
}

const goneError = {
  status: 404,
  code: 'not_found',
  message: 'Not found.',
  detail: 'This playlist was deleted while you were editing.',
}

interface FieldConflictProps {
  field: DraftField
  serverDraft: PlaylistDraft
  onAccept: () => void
}

function FieldConflict({ field, serverDraft, onAccept }: FieldConflictProps) {
  const noteText =
    field === 'videos'
      ? `The videos were changed while you were editing: ${serverDraft.videos.map(({ title }) => title).join(', ')}`
      : `Changed to “${serverDraft[field]}” while you were editing`
  return (
    <p className={styles.conflict}>
      <span className={styles.clamped}>{noteText}</span>
      <Button variant="default" size="xs" onClick={onAccept}>
        Use {field === 'videos' ? 'those' : 'that'} {field}
      </Button>
    </p>
  )
}
