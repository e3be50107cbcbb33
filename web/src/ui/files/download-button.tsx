import { Button } from '@mantine/core'
import { type MouseEvent, type ReactNode, useState } from 'react'
import { downloadFile } from '../../api/download-file.ts'
import { useAlerts } from '../feedback/alerts.tsx'

interface DownloadButtonProps {
  /** The path of a GET operation that answers with a file. */
  path: string
  /** The file's name if the server names none, without date and ending. */
  fileName: string
  failText: string
  children: ReactNode
}

/**
 * A link to a CSV file. A click fetches the file first, so that any failure shows as an alert and
 * is not saved as a file.
 */
export function DownloadButton({ path, fileName, failText, children }: DownloadButtonProps) {
  const alerts = useAlerts()
  const [isPreparing, setPreparing] = useState(false)

  async function download(event: MouseEvent) {
    event.preventDefault()
    if (isPreparing) return
    setPreparing(true)
    const failure = await downloadFile(path, `${fileName}-${new Date().toISOString().slice(0, 10)}.csv`)
    setPreparing(false)
    if (failure) alerts.fail(failText, failure)
  }

  return (
    <Button
      component="a"
      href={`/api${path}`}
      download
      variant="default"
      ms="auto"
      aria-busy={isPreparing}
      onClick={download}
    >
      {isPreparing ? 'Preparing…' : children}
    </Button>
  )
}
