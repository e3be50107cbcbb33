import { Button, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { ResponseOf } from '@watchline/contracts/operation'
import type { previewImport } from '@watchline/contracts/playlist-imports'
import { asFailure } from '../../api/failure.ts'
import { useLazyPreviewImportQuery } from '../../api/video-data.ts'
import { formatCount, formatDuration } from '../../ui/format.ts'
import styles from './management.module.css'

interface PlaylistAddressProps {
  url: string
  missing: boolean
  onChange: (url: string) => void
}

/** The address of a YouTube playlist, and on demand what it would bring. A look that fails holds nothing up. */
export function PlaylistAddress({ url, missing, onChange }: PlaylistAddressProps) {
  const [look, preview] = useLazyPreviewImportQuery()
  const asked = url.trim()
  // What is known is about the address it was asked for, not about what is typed since.
  const about = preview.originalArgs?.query.url === asked ? preview : undefined

  return (
    <div className={styles.address}>
      <div className={styles.addressField}>
        <TextInput
          label="YouTube playlist URL"
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://www.youtube.com/playlist?list=…"
          maxLength={limits.urlMaxLength}
          value={url}
          error={missing ? 'Enter the URL of a YouTube playlist' : undefined}
          onChange={event => onChange(event.currentTarget.value)}
          data-autofocus
        />
        <Button
          variant="default"
          disabled={asked === ''}
          loading={about?.isFetching}
          onClick={() => void look({ query: { url: asked } })}
        >
          Look it up
        </Button>
      </div>
      <div role="status" className={styles.preview}>
        {about?.isFetching ? <p className={styles.dim}>The playlist is read from YouTube…</p> : null}
        {about?.error && !about.isFetching ? <p className={styles.refused}>{asFailure(about.error).message}</p> : null}
        {about?.currentData && !about.error && !about.isFetching ? <Found {...about.currentData} /> : null}
      </div>
    </div>
  )
}

type Preview = ResponseOf<typeof previewImport>

function Found({ title, videos, total_duration, left_out }: Preview) {
  const unplayable = videos.filter(({ unavailable }) => unavailable).length
  return (
    <>
      <p className={styles.found}>{title}</p>
      <p className={styles.facts}>
        <span>{formatCount(videos.length, 'video')}</span>
        <span>{formatDuration(total_duration)}</span>
        {unplayable > 0 ? <span>{unplayable.toLocaleString()} cannot be played here</span> : null}
        {left_out > 0 ? (
          <span>{left_out.toLocaleString()} left out: private, deleted, without a length or longer than 24 hours</span>
        ) : null}
      </p>
    </>
  )
}
