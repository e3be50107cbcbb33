import { Button } from '@mantine/core'
import { explainFailure } from '../../../api/failure.ts'
import { ProgressLine } from '../../../ui/progress/progress-line.tsx'
import styles from './people-import.module.css'
import type { UploadState } from './use-upload.ts'

interface UploadProgressProps {
  state: Exclude<UploadState, { phase: 'none' }>
  onRetry: () => void
  onCancel: () => void
}

/**
 * The progress of an upload. Leaving the page before its end only means choosing the file again.
 */
export function UploadProgress({ state, onRetry, onCancel }: UploadProgressProps) {
  const cancelButton = (
    <Button variant="default" onClick={onCancel}>
      {state.phase === 'failed' ? 'Choose another file' : 'Cancel'}
    </Button>
  )
  if (state.phase === 'reading')
    return (
      <>
        <ProgressLine label={`Reading ${state.fileName}`} done={0} total={0} valueText="Just begun" />
        {cancelButton}
      </>
    )

  const { fileName, sent, parts } = state.upload
  return (
    <>
      <ProgressLine
        label={`Uploading ${fileName}`}
        done={sent}
        total={parts.length}
        valueText={`${Math.floor((sent / parts.length) * 100)}%`}
      />
      {state.phase === 'failed' ? (
        <>
          <div role="alert" className={styles.notice} data-kind="error">
            <p>
              <strong>{fileName} could not be uploaded.</strong> {explainFailure(state.failure)}
            </p>
            <p>Nothing was imported. Try again to go on where it broke off.</p>
          </div>
          <div className={styles.actions}>
            <Button onClick={onRetry}>Try Again</Button>
            {cancelButton}
          </div>
        </>
      ) : (
        <>
          <p className={styles.words}>Nothing changes yet. Keep this page open until the file is there.</p>
          <div className={styles.actions}>{cancelButton}</div>
        </>
      )}
    </>
  )
}
