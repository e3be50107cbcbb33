import { Button, Textarea, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { ResponseOf } from '@watchline/contracts/operation'
import type { previewImport } from '@watchline/contracts/playlist-imports'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { allPlaylists, useListPlaylistsQuery } from '../../../api/lists.ts'
import { useGetVideoDataStatusQuery, useLazyPreviewImportQuery } from '../../../api/youtube-status.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { type Refusal, useSending } from '../../../ui/hooks/use-sending.ts'
import { emptyImport, type ImportDraft, isEmptyImport, loadImport, saveImport } from '../draft/import-draft.ts'
import { fieldErrors } from '../draft/playlist-draft.ts'
import { useFieldErrors } from '../draft/use-field-errors.ts'
import styles from '../playlists.module.css'
import { useImportPlaylistMutation } from '../playlists-api.ts'
import { SlowLoadingNote } from '../slow-note.tsx'
import { ImportPreview } from './import-preview.tsx'

interface ImportFormProps {
  /** The storage key of the draft in this tab. */
  draftKey: string
  /** A sentence about the next step after the import. */
  nextStep: string
  onCancel: () => void
  onCreated: (playlist: Playlist) => void
}

/** Imports a playlist from YouTube: looks it up, shows it, then imports it. */
export function ImportForm({ draftKey, nextStep, onCancel, onCreated }: ImportFormProps) {
  const alerts = useAlerts()
  const [draft, setDraft] = useState(() => loadImport(draftKey))
  const [result, setResult] = useState<{ url: string; preview: ResponseOf<typeof previewImport> }>()
  const { form, errors, setErrors, clearErrors } = useFieldErrors()
  const lookup = useSending()
  const importing = useSending()
  const lookUp = useLookUp()
  const [importPlaylist] = useImportPlaylistMutation()
  const { data: playlists } = useListPlaylistsQuery(allPlaylists)
  const url = draft.url.trim()
  const preview = result?.url === url ? result.preview : undefined
  const refusal = importing.refusal ?? lookup.refusal
  const configuration = useConfiguration(refusal)
  const isBusy = lookup.isSending || importing.isSending

  useEffect(() => saveImport(draftKey, draft), [draftKey, draft])
  useEffect(() => {
    if (refusal) setErrors(errorsOf(refusal))
  }, [refusal, setErrors])

  function changeDraft(change: Partial<ImportDraft>) {
    setDraft(previous => ({ ...previous, ...change }))
    lookup.clearRefusal()
    importing.clearRefusal()
    clearErrors(field => field in change)
  }

  async function lookUpPlaylist() {
    if (isBusy) return
    if (url === '') return setErrors({ url: 'Enter the address of a YouTube playlist' })
    importing.clearRefusal()
    setErrors({})
    const preview = await lookup.send(() => lookUp(url), 'The playlist could not be read. Please try again.')
    if (preview) setResult({ url, preview })
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!preview) return lookUpPlaylist()
    lookup.clearRefusal()
    const { title, description } = draft
    const knownIds = new Set(playlists?.items.map(({ id }) => id))
    const playlist = await importing.send(
      () => importPlaylist({ body: { youtube_playlist_url: url, title, description } }),
      'The playlist could not be imported. Please try again.',
    )
    if (!playlist) return
    saveImport(draftKey, emptyImport)
    setDraft(emptyImport)
    if (knownIds.has(playlist.id)) alerts.succeed('Playlist read again', 'You had imported it before.')
    else alerts.succeed('Playlist imported', nextStep)
    onCreated(playlist)
  }

  return (
    <form ref={form} className={styles.stack} onSubmit={submit} noValidate>
      {configuration.isMissing ? (
        <NotConfigured isChecking={configuration.isChecking} onCheck={configuration.check} />
      ) : null}
      <div className={styles.add}>
        <TextInput
          className={styles.grow}
          label="YouTube playlist"
          description="Paste the playlist’s link from the address bar or from YouTube’s Share"
          placeholder="https://www.youtube.com/playlist?list=…"
          required
          data-autofocus
          maxLength={limits.urlMaxLength}
          value={draft.url}
          error={errors.url}
          readOnly={isBusy}
          onChange={({ currentTarget: { value } }) => changeDraft({ url: value })}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 'Enter') return
            // Enter only looks up, because the person must see a playlist before it is imported.
            event.preventDefault()
            void lookUpPlaylist()
          }}
        />
        <Button
          variant={preview ? 'default' : 'filled'}
          onClick={lookUpPlaylist}
          loading={lookup.isSending}
          disabled={configuration.isMissing}
        >
          Look Up
        </Button>
      </div>
      <SlowLoadingNote isBusy={isBusy}>
        {importing.isSending ? 'Importing from YouTube' : 'Asking YouTube'}
      </SlowLoadingNote>
      {preview ? (
        <>
          <ImportPreview preview={preview} />
          <TextInput
            label="Own title"
            description="Leave it empty to keep YouTube’s"
            placeholder={preview.title}
            maxLength={limits.titleMaxLength}
            value={draft.title}
            error={errors.title}
            onChange={({ currentTarget: { value } }) => changeDraft({ title: value })}
          />
          <Textarea
            label="Own description"
            description="Leave it empty to keep YouTube’s"
            rows={3}
            resize="vertical"
            maxLength={limits.descriptionMaxLength}
            value={draft.description}
            error={errors.description}
            onChange={({ currentTarget: { value } }) => changeDraft({ description: value })}
          />
        </>
      ) : null}
      <p role="alert" className={styles.problem}>
        {refusal && !errors.url && !configuration.isMissing ? `${refusal.message} Nothing you typed is lost.` : null}
      </p>
      <div className={styles.actions}>
        {preview ? (
          <Button type="submit" loading={importing.isSending} disabled={lookup.isSending || configuration.isMissing}>
            Import Playlist
          </Button>
        ) : null}
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        {isEmptyImport(draft) ? null : (
          <Button variant="subtle" ms="auto" disabled={isBusy} onClick={() => changeDraft(emptyImport)}>
            Discard draft
          </Button>
        )}
      </div>
    </form>
  )
}

/** Requests a preview of an import. Leaving the form aborts the request. */
function useLookUp() {
  const [preview] = useLazyPreviewImportQuery()
  const lastRequest = useRef<{ abort: () => void }>(undefined)
  useEffect(() => () => lastRequest.current?.abort(), [])
  return (url: string) => {
    const request = preview({ query: { url } })
    lastRequest.current = request
    return request
  }
}

/** Whether YouTube cannot be read at all, by the status or by a call's error. */
function useConfiguration(refusal: Refusal | undefined) {
  const { data, isFetching, refetch } = useGetVideoDataStatusQuery(undefined, { refetchOnMountOrArgChange: true })
  const isMissing =
    data?.status === 'not_configured' || (data === undefined && refusal?.failure.code === 'video_data_not_configured')
  const isRefused = refusal?.failure.code === 'video_data_not_configured'
  // An error is newer than the status that was read when the form opened.
  useEffect(() => {
    if (isRefused) void refetch()
  }, [isRefused, refetch])
  return { isMissing, isChecking: isFetching, check: refetch }
}

function NotConfigured({ isChecking, onCheck }: { isChecking: boolean; onCheck: () => void }) {
  return (
    <div className={styles.notice} role="status">
      <p>
        <strong>Playlists cannot be read from YouTube: no YouTube API key is configured.</strong>
      </p>
      <p>Ask your administrator to set one up. You can still add YouTube videos one by one.</p>
      <Button variant="default" size="xs" onClick={onCheck} loading={isChecking}>
        Check Again
      </Button>
    </div>
  )
}

/** Shows an error about the address at its field, in the server's words. */
function errorsOf({ message: reason, failure }: Refusal): Record<string, string> {
  // Preview and import name the address differently.
  const problems = (failure.errors ?? []).map(({ path, message }) => ({
    path: path === 'url' ? 'youtube_playlist_url' : path,
    message,
  }))
  const { youtube_playlist_url: url, ...otherErrors } = fieldErrors(problems)
  if (url !== undefined) return { ...otherErrors, url }
  const isAboutAddress = failure.code === 'not_found' || failure.code === 'invalid'
  return isAboutAddress && Object.keys(otherErrors).length === 0 ? { url: reason } : otherErrors
}
