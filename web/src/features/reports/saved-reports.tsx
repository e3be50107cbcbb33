import { Button, Modal } from '@mantine/core'
import type { SavedReport } from '@watchline/contracts/saved-reports'
import { useRef, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useGetSessionQuery } from '../../api/gateway.ts'
import { useGetMailChoicesQuery } from '../../api/mail-choices.ts'
import { UndoableButton } from '../../ui/controls/undoable-button.tsx'
import { useKeptFocus } from '../../ui/controls/use-kept-focus.ts'
import { useUndoableCall } from '../../ui/controls/use-undoable-call.ts'
import { formatExactTime } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import styles from './reports.module.css'
import { useDeleteSavedReportMutation, useListSavedReportsQuery } from './reports-api.ts'
import { SaveReportDialog, type ShownReport } from './save-report-dialog.tsx'
import { describeChoice, describeRecipients, describeSchedule } from './saved-report-words.ts'
import { SendNowButton } from './send-now-button.tsx'

interface SavedReportsProps {
  shown: ShownReport
  /** The saved report that the page shows. */
  openedId: string | undefined
  onOpen: (report: SavedReport) => void
}

/** The person's saved reports, and the button that saves what the page shows. */
export function SavedReports({ shown, openedId, onOpen }: SavedReportsProps) {
  const { data, error, isFetching, refetch } = useListSavedReportsQuery()
  const [dialog, setDialog] = useState<{ report: SavedReport | undefined }>()
  const [lastDialog, setLastDialog] = useState(dialog)
  if (dialog && dialog !== lastDialog) setLastDialog(dialog)
  const { data: mail } = useGetMailChoicesQuery()
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  return (
    <section aria-labelledby="saved-reports" className={styles.saved} ref={section} tabIndex={-1}>
      <div className={styles.savedHead}>
        <h2 id="saved-reports" className={styles.title}>
          Saved reports
        </h2>
        <Button variant="default" onClick={() => setDialog({ report: undefined })}>
          Save this report…
        </Button>
      </div>
      <Loaded
        message="Couldn’t load your saved reports."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonRows rows={1} />}
      >
        {data &&
          (data.length > 0 ? (
            <ul className={`${listStyles.cards} ${styles.savedList}`} aria-label="Saved reports">
              {data.map(report => (
                <SavedReportCard
                  key={report.id}
                  report={report}
                  isOpened={report.id === openedId}
                  onOpen={() => onOpen(report)}
                  onChange={() => setDialog({ report })}
                />
              ))}
            </ul>
          ) : (
            <p className={listStyles.dim}>
              None yet. Choose rows, period and filters below, and save the report to open it again
              {mail?.is_available ? ' or to send it by mail' : ''}.
            </p>
          ))}
      </Loaded>
      <Modal.Stack>
        <SaveReportDialog
          opened={dialog !== undefined}
          report={lastDialog?.report}
          shown={shown}
          onClose={() => setDialog(undefined)}
          onSaved={report => {
            setDialog(undefined)
            onOpen(report)
          }}
        />
      </Modal.Stack>
    </section>
  )
}

interface SavedReportCardProps {
  report: SavedReport
  isOpened: boolean
  onOpen: () => void
  onChange: () => void
}

function SavedReportCard({ report, isOpened, onOpen, onChange }: SavedReportCardProps) {
  const alerts = useAlerts()
  const [remove] = useDeleteSavedReportMutation()
  const deletion = useUndoableCall(async () => {
    const { error } = await remove({ params: { id: report.id } })
    // It may have been deleted on another page.
    if (error && asFailure(error).code !== 'not_found')
      alerts.fail(`The report “${report.name}” could not be deleted`, asFailure(error))
  })
  return (
    <li className={`${listStyles.card} ${styles.savedCard}`} data-opened={isOpened || undefined}>
      <div className={styles.savedWords}>
        <button type="button" className={styles.person} aria-current={isOpened || undefined} onClick={onOpen}>
          {report.name}
        </button>
        <p className={listStyles.dim}>{describeChoice(report)}</p>
        <Sending report={report} />
      </div>
      <div className={styles.actions}>
        <SendNowButton report={report} />
        <Button variant="default" size="xs" aria-label={`Change… ${report.name}`} onClick={onChange}>
          Change…
        </Button>
        <UndoableButton call={deletion} variant="default" size="xs" progressLabel="Deleting…" subject={report.name}>
          Delete
        </UndoableButton>
      </div>
    </li>
  )
}

/** The schedule and the recipients of the report. */
function Sending({ report }: { report: SavedReport }) {
  const { data: person } = useGetSessionQuery()
  const { data: mail } = useGetMailChoicesQuery()
  const { schedule, next_send_at } = report
  if (!schedule) {
    if (!mail?.is_available || !person) return null
    return <p className={listStyles.dim}>Not scheduled. “Send now” sends it {describeRecipients(report, person.id)}</p>
  }
  if (mail && !mail.is_available)
    return <p className={listStyles.dim}>{describeSchedule(schedule)}. Not sent: there is no mail server.</p>
  return (
    <p className={listStyles.dim}>
      {describeSchedule(schedule)}, {describeRecipients(report, person?.id ?? '')}
      {next_send_at ? `. Next: ${formatExactTime(next_send_at)}` : ''}
    </p>
  )
}
