import { Button } from '@mantine/core'
import type { SavedReport } from '@watchline/contracts/saved-reports'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useGetMailChoicesQuery } from '../../api/mail-choices.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import { formatCount } from '../../ui/format.ts'
import { newUuid } from '../../ui/new-uuid.ts'
import { useSendSavedReportMutation } from './reports-api.ts'

/** Sends a saved report to its recipients at once. Without a mail server there is no button. */
export function SendNowButton({ report: { id, name } }: { report: SavedReport }) {
  const alerts = useAlerts()
  const { data: mail } = useGetMailChoicesQuery()
  const [sendReport, { isLoading }] = useSendSavedReportMutation()
  // The server sends a call whose answer was lost only once.
  const [client_id, setClientId] = useState(newUuid)
  if (!mail?.is_available) return null

  async function send() {
    const { data, error } = await sendReport({ params: { id }, body: { client_id } })
    if (error) return alerts.fail(`The report “${name}” could not be sent`, asFailure(error))
    setClientId(newUuid())
    const people = formatCount(data.recipients, 'person', 'people')
    alerts.succeed(
      `The report “${name}” is being sent to ${people}`,
      'Those who may not see it, or turned these mails off, get none.',
    )
  }

  return (
    <Button variant="default" size="xs" loading={isLoading} aria-label={`Send now ${name}`} onClick={send}>
      Send now
    </Button>
  )
}
