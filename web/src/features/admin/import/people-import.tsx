import { Button } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { EmptyState, LoadFailed, SkeletonCard } from '../../../ui/feedback/states.tsx'
import { ChooseFile } from './choose-file.tsx'
import { ImportOutcome, outcomeTitle } from './import-outcome.tsx'
import { type ImportStep, ImportSteps } from './import-steps.tsx'
import styles from './people-import.module.css'
import { unfinishedImport } from './unfinished-import.ts'
import { UploadProgress } from './upload-progress.tsx'
import { type ImportQuery, isWorking, useImport } from './use-import.ts'
import { type UploadState, useUpload } from './use-upload.ts'

/**
 * Imports people from a file in three steps. The address names the import, so that a reload returns
 * to it. The server continues whether this page is open or not.
 */
export function PeopleImport() {
  const [params, setParams] = useSearchParams()
  const id = params.get('import') ?? undefined
  const upload = useUpload(started => {
    unfinishedImport.set(started)
    openImport(started.id)
  })
  const query = useImport(upload.state.phase === 'none' ? id : undefined)
  const { title, step, content } = currentView()
  const section = useRef<HTMLElement>(null)
  useFocusOnNewStep(section, title)

  function openImport(importId: string | undefined) {
    const nextParams = new URLSearchParams(params)
    if (importId) nextParams.set('import', importId)
    else nextParams.delete('import')
    setParams(nextParams)
  }

  function startAgain() {
    if (id) unfinishedImport.clear(id)
    openImport(undefined)
  }

  function currentView(): View {
    if (upload.state.phase !== 'none')
      return {
        title: uploadTitle(upload.state),
        step: 1,
        content: <UploadProgress state={upload.state} onRetry={upload.retry} onCancel={upload.cancel} />,
      }
    if (!id)
      return {
        title: 'Choose a file',
        step: 1,
        content: <ChooseFile problem={upload.state.problem} onFile={upload.choose} onOpen={openImport} />,
      }
    return importView(query, startAgain)
  }

  return (
    <section ref={section} className={styles.import} aria-labelledby="people-import">
      <h2 id="people-import" className={styles.title}>
        Import people
      </h2>
      <ImportSteps current={step} />
      <div role="status">
        <h3 tabIndex={-1} className={styles.heading}>
          {title}
        </h3>
      </div>
      {content}
    </section>
  )
}

interface View {
  title: string
  /** undefined when all steps are done. */
  step: ImportStep | undefined
  content: ReactNode
}

function uploadTitle({ phase }: UploadState): string {
  return phase === 'failed' ? 'The upload broke off' : 'The file is being uploaded'
}

const steps = {
  uploading: 1,
  checking: 2,
  checked: 3,
  refused: 2,
  applying: 3,
  applied: undefined,
  interrupted: 2,
} as const

function importView(query: ImportQuery, startAgain: () => void): View {
  const { peopleImport, isMissing, failure, isFetching, refetch } = query
  if (isMissing)
    return {
      title: 'There is no such import',
      step: 1,
      content: (
        <EmptyState
          title="This import is not there (any more)"
          action={<Button onClick={startAgain}>Choose a file</Button>}
        >
          Its address may be wrong. An import that was not finished is removed after a day; it has changed nothing.
        </EmptyState>
      ),
    }
  if (!peopleImport)
    return {
      title: 'The import',
      step: 2,
      content: failure ? (
        <LoadFailed
          message="Couldn’t load the import. It continues in the meantime."
          failure={failure}
          onRetry={refetch}
          retrying={isFetching}
        />
      ) : (
        <SkeletonCard />
      ),
    }
  return {
    title: outcomeTitle(peopleImport),
    step: peopleImport.problem_count > 0 ? 2 : steps[peopleImport.status],
    content: (
      <>
        {failure && isWorking(peopleImport.status) ? (
          <div role="status" className={styles.notice}>
            <p>
              <strong>The connection is lost.</strong> The import goes on. This is its last known state. Retrying
              automatically.
            </p>
          </div>
        ) : null}
        <ImportOutcome peopleImport={peopleImport} onStartAgain={startAgain} onChanged={refetch} />
      </>
    ),
  }
}

/** Moves the focus to the heading of the new step if the focused element is gone. */
function useFocusOnNewStep(section: { current: HTMLElement | null }, title: string) {
  const previousTitle = useRef(title)
  useEffect(() => {
    if (previousTitle.current === title) return
    previousTitle.current = title
    if (document.activeElement !== null && document.activeElement !== document.body) return
    section.current?.querySelector('h3')?.focus({ preventScroll: true })
  }, [title, section])
}
