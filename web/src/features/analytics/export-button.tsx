import { Button } from '@mantine/core'
import { exportTeam } from '@watchline/contracts/engagement'
import { type MouseEvent, useState } from 'react'
import { useAlerts } from '../../ui/alerts.tsx'
import { downloadExport } from './download-export.ts'

/**
 * A plain link to the file, which works by itself. Followed here it is fetched first, so that a failure, also one halfway,
 * is told instead of being saved as a file.
 */
export function ExportButton() {
  const alerts = useAlerts()
  const [busy, setBusy] = useState(false)

  async function download(event: MouseEvent) {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    const failure = await downloadExport()
    setBusy(false)
    if (failure) alerts.fail('The export could not be downloaded. Please try again.', failure)
  }

  return (
    <Button
      component="a"
      href={`/api${exportTeam.path}`}
      download
      variant="default"
      ms="auto"
      aria-busy={busy}
      onClick={download}
    >
      {busy ? 'Preparing…' : 'Export CSV'}
    </Button>
  )
}
