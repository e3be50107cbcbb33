import { Button, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { ResponseOf } from '@watchline/contracts/operation'
import type { previewImport } from '@watchline/contracts/playlist-imports'
import { asFailure, explainFailure } from '../../api/failure.ts'
import { useLazyPreviewImportQuery } from '../../api/youtube-status.ts'
import { formatCount, formatDuration, formatNumber } from '../../ui/dates/format.ts'
import listStyles from '../../ui/lists/list.module.css'
import styles from './management.module.css'

interface PlaylistAddressProps {
  url: string
  isMissing: boolean
  onChange: (url: string) => void
}

/** The address of a YouTube playlist, with an optional preview. A failed preview blocks nothing. */
export function PlaylistAddress({ url, isMissing, onChange }: PlaylistAddressProps) {
  const [lookUp, preview] = useLazyPreviewImportQuery()
  const trimmedUrl = url.trim()
  // A preview of an earlier address does not describe the present one.
  const currentPreview = preview.originalArgs?.query.url === trimmedUrl ? preview : undefined

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
          error={isMissing ? 'Enter the URL of a YouTube playlist' : undefined}
          onChange={event => onChange(event.currentTarget.value)}
          data-autofocus
        />
        <Button
          variant="default"
          disabled={trimmedUrl === ''}
          loading={currentPreview?.isFetching}
          onClick={() => void lookUp({ query: { url: trimmedUrl } })}
        >
          Look Up
        </Button>
      </div>
      <div role="status" className={styles.preview}>
        {currentPreview?.isFetching ? <p className={listStyles.dim}>Reading the playlist from YouTube…</p> : null}
        {currentPreview?.error && !currentPreview.isFetching ? (
          <p className={styles.refused}>{explainFailure(asFailure(currentPreview.error))}</p>
        ) : null}
        {currentPreview?.currentData && !currentPreview.error && !currentPreview.isFetching ? (
          <PreviewSummary {...currentPreview.currentData} />
        ) : null}
      </div>
    </div>
  )
}

type Preview = ResponseOf<typeof previewImport>

function PreviewSummary({ title, videos, total_duration, left_out }: Preview) {
  const unplayableCount = videos.filter(({ unavailable }) => unavailable).length
  return (
    <>
      <p className={styles.found}>{title}</p>
      <p className={listStyles.facts}>
        <span>{formatCount(videos.length, 'video')}</span>
        <span>{formatDuration(total_duration)}</span>
        {unplayableCount > 0 ? <span>{formatNumber(unplayableCount)} cannot be played here</span> : null}
        {left_out > 0 ? (
          <span>{formatNumber(left_out)} left out: private, deleted, without a length or longer than 24 hours</span>
        ) : null}
      </p>
    </>
  )
}
