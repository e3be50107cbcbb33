import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { explainFailure, type Failure } from '../../api/failure.ts'
import type { DocumentType } from '../../api/issue-document.ts'

interface DocumentDownloadProps {
  /** Resolves with the failure, or with undefined after the download. */
  download: (type: DocumentType) => Promise<Failure | undefined>
  /**
   * The reason why nothing can be downloaded at the moment. Empty if the form says it elsewhere.
   */
  obstacle: string | undefined
}

/** The last rows of a form: how the download of a signed record went, and its buttons. */
export function DocumentDownload({ download, obstacle }: DocumentDownloadProps) {
  const [preparing, setPreparing] = useState<DocumentType>()
  const [outcome, setOutcome] = useState<{ problem?: string; done?: string }>({})

  async function prepare(type: DocumentType) {
    if (preparing) return
    if (obstacle !== undefined) return setOutcome({ problem: obstacle })
    setOutcome({})
    setPreparing(type)
    const failure = await download(type)
    setPreparing(undefined)
    if (failure) setOutcome({ problem: `The record could not be downloaded. ${explainFailure(failure)}` })
    else setOutcome({ done: `Downloaded as ${type.toUpperCase()}.` })
  }

  return (
    <>
      <Text size="sm" role="status" c={outcome.problem ? 'var(--wl-red)' : undefined}>
        {outcome.problem ?? outcome.done}
      </Text>
      <Group justify="end">
        <Button variant="default" loading={preparing === 'json'} onClick={() => prepare('json')}>
          Download JSON
        </Button>
        <Button loading={preparing === 'pdf'} onClick={() => prepare('pdf')}>
          Download PDF
        </Button>
      </Group>
    </>
  )
}
