import { Button } from '@mantine/core'
import { type MouseEvent, useState } from 'react'
import { useAlerts } from '../../ui/alerts.tsx'
import type { TeamScope } from './analytics-api.ts'
import { downloadExport, exportPath } from './download-export.ts'

/**
 * A link to the export file. A click fetches the file first, so that any failure shows as an alert
 * and is not saved as a file.
 */
export function ExportButton({ scope }: { scope: TeamScope }) {
  const alerts = useAlerts()
  const [isPreparing, setPreparing] = useState(false)

  async function download(event: MouseEvent) {
    event.preventDefault()
    if (isPreparing) return
    setPreparing(true)
    const failure = await downloadExport(scope)
    setPreparing(false)
    if (failure) alerts.fail('The export could not be downloaded. Please try again.', failure)
  }

  return (
    <Button
      component="a"
      href={`/api${exportPath(scope)}`}
      download
      variant="default"
      ms="auto"
      aria-busy={isPreparing}
      onClick={download}
    >
      {isPreparing ? 'Preparing…' : 'Export CSV'}
    </Button>
  )
}
