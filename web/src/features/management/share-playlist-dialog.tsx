import { Button, Modal, Textarea } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { allPlaylists, useListPlaylistsQuery, useReadOwnSupervisorsQuery } from '../../api/lists.ts'
import { useGetVideoDataStatusQuery } from '../../api/youtube-status.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { useSending } from '../../ui/hooks/use-sending.ts'
import styles from './management.module.css'
import { useSharePlaylistMutation } from './management-api.ts'
import { OwnPlaylists } from './own-playlists.tsx'
import { PlaylistAddress } from './playlist-address.tsx'
import { SupervisorChoices } from './supervisor-choices.tsx'

interface Draft {
  url: string
  chosen: ReadonlySet<string>
  description: string
}

const emptyDraft: Draft = { url: '', chosen: new Set(), description: '' }

interface SharePlaylistDialogProps {
  opened: boolean
  onClose: () => void
  /** Opens the dialog that shares one of the manager's own playlists. */
  onShareOwn: (playlist: Playlist) => void
}

/**
 * Shares one of the manager's own playlists, or one from YouTube, with own supervisors. Closing the
 * dialog keeps the draft.
 */
export function SharePlaylistDialog({ opened, onClose, onShareOwn }: SharePlaylistDialogProps) {
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const alerts = useAlerts()
  const content = useRef<HTMLDivElement>(null)
  const [draft, setDraft] = useState(emptyDraft)
  const [isUrlMissing, setUrlMissing] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [share] = useSharePlaylistMutation()
  const { data: supervisors } = useReadOwnSupervisorsQuery()
  const playlists = useListPlaylistsQuery(allPlaylists, { skip: !opened })
  const dataStatus = useGetVideoDataStatusQuery(undefined, { skip: !opened, refetchOnMountOrArgChange: true })
  const isLoading = playlists.isLoading || dataStatus.isLoading
  const isConfigured = dataStatus.data?.status !== 'not_configured'
  const { isSending, refusal, clearRefusal, send } = useSending(opened)
  const { url, description } = draft
  // Leaves out supervisors who have left the manager, because the form no longer shows them.
  const chosen = supervisors?.filter(({ id }) => draft.chosen.has(id)).map(({ id }) => id) ?? []

  function changeDraft(change: Partial<Draft>) {
    setDraft(previous => ({ ...previous, ...change }))
    setProblem(undefined)
    clearRefusal()
    if (change.url !== undefined) setUrlMissing(false)
  }

  useEffect(() => {
    // The dialog could not focus its first field, because the form was hidden.
    if (isLoading || content.current?.closest('[role=dialog]')?.contains(document.activeElement)) return
    content.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
  }, [isLoading])

  async function submit(event: FormEvent) {
    event.preventDefault()
    clearRefusal()
    const isUrlMissing = url.trim() === ''
    setUrlMissing(isUrlMissing)
    setProblem(findChoiceProblem(chosen.length))
    if (isUrlMissing) content.current?.querySelector<HTMLElement>('input[type="url"]')?.focus()
    if (isUrlMissing || findChoiceProblem(chosen.length)) return
    const body = { youtube_playlist_url: url.trim(), supervisor_ids: chosen, description: description.trim() }
    if (!(await send(() => share({ body }), 'Failed to share playlist'))) return
    // A draft that changed during the call stays for the next playlist.
    setDraft(current => (current === draft ? emptyDraft : current))
    alerts.succeed('Playlist shared successfully with selected supervisors!')
    onClose()
  }

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      fullScreen={isPhone}
      title={<span className={styles.dialogTitle}>Share Playlist</span>}
    >
      <div ref={content} className={styles.stack}>
        <OwnPlaylists
          isFocused={!isConfigured}
          onShare={playlist => {
            onClose()
            onShareOwn(playlist)
          }}
        />
        {isConfigured ? (
          <form className={styles.stack} onSubmit={submit} noValidate data-waits={isLoading || undefined}>
            <PlaylistAddress url={url} isMissing={isUrlMissing} onChange={next => changeDraft({ url: next })} />
            <SupervisorChoices chosen={draft.chosen} onChoose={next => changeDraft({ chosen: next })} />
            <Textarea
              label="Description (optional)"
              rows={3}
              resize="vertical"
              maxLength={limits.descriptionMaxLength}
              value={description}
              onChange={event => changeDraft({ description: event.currentTarget.value })}
            />
            <p role="alert" className={styles.problem}>
              {problem ?? refusal?.message}
            </p>
            <p role="status" className={styles.progress}>
              {isSending
                ? `Reading the playlist from YouTube and sharing it. This can take up to ${limits.videoDataTotalTimeoutMs / 1000} seconds.`
                : null}
            </p>
            <div className={styles.actions}>
              <Button type="submit" loading={isSending}>
                {chosen.length === 0 ? 'Share' : `Share with ${chosen.length}`}
              </Button>
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
            </div>
          </form>
        ) : (
          <NotConfigured />
        )}
      </div>
    </Modal>
  )
}

function findChoiceProblem(count: number): string | undefined {
  if (count === 0) return 'At least one supervisor must be selected'
  if (count > limits.shareMaxSupervisors)
    return `A playlist can be shared with at most ${limits.shareMaxSupervisors} supervisors at a time`
  return undefined
}

/** It replaces the form, which could only fail. */
function NotConfigured() {
  return (
    <p className={styles.warning} role="note">
      Playlists cannot be read from YouTube yet, because no YouTube API key is configured. Ask your administrator to set
      one. Until then, you can build a playlist manually in the Playlists tab.
    </p>
  )
}
