import { Button } from '@mantine/core'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, useEffect, useState } from 'react'
import { useAlerts } from '../../../ui/alerts.tsx'
import { formatCount } from '../../../ui/format.ts'
import listStyles from '../../../ui/list.module.css'
import { useSending } from '../../../ui/use-sending.ts'
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
  const imported = playlist.source !== null

  useEffect(
    () => saveSessionDraft(draftKey, isChanged ? { base: edit.base, draft: edit.draft } : undefined),
    [draftKey, edit, isChanged],
  )
  useEffect(() => {
    if (saving.refusal) setErrors(fieldErrors(saving.refusal.failure.errors ?? []))
  }, [saving.refusal, setErrors])

  const changeDraft: ChangeDraft = (change, isResolved) => {
    setEdit(before => ({ ...before, draft: change(before.draft) }))
    if (saving.refusal?.failure.code !== 'edited_elsewhere') saving.clearRefusal()
    clearErrors(isResolved)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const checked = checkEdit(edit, revision)
    if (!checked.ok) return setErrors(checked.errors)
    const saved = await saving.send(
      () => update({ params: { id: playlist.id }, body: checked.body }),
      'The playlist could not be saved. Please try again.',
    )
    if (!saved) return
    saveSessionDraft(draftKey, undefined)
    alerts.succeed('Playlist saved')
    onSaved(saved)
  }

  async function reloadPlaylist() {
    const latest = await loading.send(async () => {
      const { data, error } = await readPlaylist(playlist.id)
      return { data: data && { playlist: data }, error: error ?? (data === null ? goneError : undefined) }
    }, 'The playlist could not be loaded again. Please try again.')
    if (!latest) return
    saving.clearRefusal()
    setErrors({})
    setRevision(latest.playlist.revision)
    setEdit(before => rebaseEdit(before, draftFromPlaylist(latest.playlist)))
    focusField('title')
    setAnnouncement('Loaded again. What you typed is still here; look it over and save.')
  }

  function discardChanges() {
    setEdit(({ base }) => ({ base, draft: base, differing: [] }))
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
  function meanwhileNote(field: DraftField) {
    if (!edit.differing.includes(field)) return undefined
    const acceptTheirs = () => {
      setEdit(({ base, draft, differing }) => ({
        base,
        draft: { ...draft, [field]: base[field] },
        differing: differing.filter(differingField => differingField !== field),
      }))
      focusField(field)
    }
    return <Meanwhile field={field} theirs={edit.base} onAccept={acceptTheirs} />
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
        notes={{ title: meanwhileNote('title'), description: meanwhileNote('description') }}
      />
      {imported ? (
        <p className={listStyles.dim}>
          Its {formatCount(playlist.videos.length, 'video')} come from YouTube. “Refresh from YouTube” reads them anew.
        </p>
      ) : (
        <>
          {meanwhileNote('videos')}
          <VideoFields draft={edit.draft} errors={errors} changeDraft={changeDraft} readDuration={readDuration} />
        </>
      )}
      <div role="alert" className={styles.refusal}>
        {refusal ? <p className={styles.problem}>{refusal.message} Nothing you typed is lost.</p> : null}
      </div>
      {saving.refusal?.failure.code === 'edited_elsewhere' ? (
        <div className={styles.actions}>
          <Button variant="default" onClick={reloadPlaylist} loading={loading.sending}>
            Load It Again
          </Button>
        </div>
      ) : null}
      <div className={styles.actions}>
        <Button type="submit" loading={saving.sending} disabled={!isChanged}>
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
  detail: 'This playlist has been deleted meanwhile.',
}

interface MeanwhileProps {
  field: DraftField
  theirs: PlaylistDraft
  onAccept: () => void
}

function Meanwhile({ field, theirs, onAccept }: MeanwhileProps) {
  const words =
    field === 'videos'
      ? `The videos were changed meanwhile: ${theirs.videos.map(({ title }) => title).join(', ')}`
      : `Changed meanwhile to “${theirs[field]}”`
  return (
    <p className={styles.meanwhile}>
      <span className={styles.clamped}>{words}</span>
      <Button variant="default" size="xs" onClick={onAccept}>
        Use {field === 'videos' ? 'those' : 'that'} {field}
      </Button>
    </p>
  )
}
