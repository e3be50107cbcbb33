import { Button, Modal, Textarea } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { type FormEvent, useRef, useState } from 'react'
import { useReadOwnSupervisorsQuery } from '../../api/lists.ts'
import { useGetVideoDataStatusQuery } from '../../api/video-data.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import { useSending } from '../../ui/use-sending.ts'
import styles from './management.module.css'
import { useSharePlaylistMutation } from './management-api.ts'
import { PlaylistAddress } from './playlist-address.tsx'
import { SupervisorChoices } from './supervisor-choices.tsx'

interface Draft {
  url: string
  chosen: ReadonlySet<string>
  description: string
}

const empty: Draft = { url: '', chosen: new Set(), description: '' }

/** Shares a YouTube playlist with own supervisors. What was chosen and typed stays until it has been shared. */
export function SharePlaylistDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const alerts = useAlerts()
  const form = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState(empty)
  const [urlMissing, setUrlMissing] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [share] = useSharePlaylistMutation()
  const { data: supervisors } = useReadOwnSupervisorsQuery()
  const { sending, refusal, forget, send } = useSending(opened)
  const { url, description } = draft
  // One who is no longer the manager's own must not be sent along unseen.
  const chosen = supervisors?.filter(({ id }) => draft.chosen.has(id)).map(({ id }) => id) ?? []

  function alter(change: Partial<Draft>) {
    setDraft(before => ({ ...before, ...change }))
    setProblem(undefined)
    forget()
    if (change.url !== undefined) setUrlMissing(false)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    forget()
    const missing = url.trim() === ''
    setUrlMissing(missing)
    setProblem(problemOf(chosen.length))
    if (missing) form.current?.querySelector<HTMLElement>('input[type="url"]')?.focus()
    if (missing || problemOf(chosen.length)) return
    const body = { youtube_playlist_url: url.trim(), supervisor_ids: chosen, description: description.trim() }
    if (!(await send(() => share({ body }), 'Failed to share playlist'))) return
    // What was typed meanwhile is for the next time.
    setDraft(now => (now === draft ? empty : now))
    alerts.succeed('Playlist shared successfully with selected supervisors!')
    onClose()
  }

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      fullScreen={phone}
      title={<span className={styles.dialogTitle}>Share Playlist</span>}
    >
      <form ref={form} className={styles.stack} onSubmit={submit} noValidate>
        <NotConfigured />
        <PlaylistAddress url={url} missing={urlMissing} onChange={next => alter({ url: next })} />
        <SupervisorChoices chosen={draft.chosen} onChoose={next => alter({ chosen: next })} />
        <Textarea
          label="Description (optional)"
          rows={3}
          resize="vertical"
          maxLength={limits.descriptionMaxLength}
          value={description}
          onChange={event => alter({ description: event.currentTarget.value })}
        />
        <p role="alert" className={styles.problem}>
          {problem ?? refusal?.words}
        </p>
        <p role="status" className={styles.progress}>
          {sending
            ? `The playlist is read from YouTube and shared. This can take up to ${limits.videoDataTotalTimeoutMs / 1000} seconds.`
            : null}
        </p>
        <div className={styles.actions}>
          <Button type="submit" loading={sending}>
            {chosen.length === 0 ? 'Share' : `Share with ${chosen.length}`}
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Modal>
  )
}

function problemOf(count: number): string | undefined {
  if (count === 0) return 'At least one supervisor must be selected'
  if (count > limits.shareMaxSupervisors)
    return `A playlist can be shared with at most ${limits.shareMaxSupervisors} supervisors at a time`
  return undefined
}

/** Said before anything is typed; the server decides when it is sent. */
function NotConfigured() {
  const { data } = useGetVideoDataStatusQuery(undefined, { refetchOnMountOrArgChange: true })
  if (data?.status !== 'not_configured') return null
  return (
    <p className={styles.warning} role="note">
      Playlists cannot be read from YouTube yet, because no YouTube API key is configured. Ask your administrator to set
      one; until then you can make a playlist by hand under Playlists.
    </p>
  )
}
