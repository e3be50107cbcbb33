import { Button } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { SavedReport } from '@watchline/contracts/saved-reports'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useGetMailChoicesQuery } from '../../api/mail-choices.ts'
import { newUuid } from '../../api/new-uuid.ts'
import { formatCount } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { useSendSavedReportMutation } from './reports-api.ts'

/** Sends a saved report to its recipients at once. Without a mail server there is no button. */
export function SendNowButton({ report: { id, name, version } }: { report: SavedReport }) {
  const alerts = useAlerts()
  const { data: mail } = useGetMailChoicesQuery()
  const [sendReport, { isLoading }] = useSendSavedReportMutation()
  /** The latest press whose answer is not known. */
  const [press, setPress] = useState<{ client_id: string; version: number; at: number }>()
  if (!mail?.is_available) return null

  async function send() {
    // A retry after a lost answer has the same id, so the report is not sent twice. Later, or after
    // a change of the report, a press means another sending.
    const isRetry = press && press.version === version && Date.now() - press.at < limits.savedReportSendingMs
    const sent = isRetry ? press : { client_id: newUuid(), version, at: Date.now() }
    setPress(sent)
    const { data, error } = await sendReport({ params: { id }, body: { client_id: sent.client_id } })
    if (error) return alerts.fail(`The report “${name}” could not be sent`, asFailure(error))
    setPress(undefined)
    const people = formatCount(data.recipients, 'person', 'people')
    alerts.succeed(
      `The report “${name}” is being sent to ${people}`,
      'People who may not see it, or have turned off these mails, get no mail.',
    )
  }

  return (
    <Button variant="default" size="xs" loading={isLoading} aria-label={`Send now ${name}`} onClick={send}>
      Send now
    </Button>
  )
}
