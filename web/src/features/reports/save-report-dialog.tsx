import { Button, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { type ReportPeriod, reportPeriod } from '@watchline/contracts/reports'
import type { ReportChoice, SavedReport } from '@watchline/contracts/saved-reports'
import { type FormEvent, useState } from 'react'
import { useGetSessionQuery } from '../../api/gateway.ts'
import { useGetMailChoicesQuery } from '../../api/mail-choices.ts'
import { newUuid } from '../../api/new-uuid.ts'
import { StackedDialog } from '../../ui/controls/stacked-dialog.tsx'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { useSending } from '../../ui/hooks/use-sending.ts'
import listStyles from '../../ui/lists/list.module.css'
import { type ChosenPerson, PeopleSelect } from '../../ui/people/people-select.tsx'
import { movingPeriods } from './report-period.ts'
import styles from './reports.module.css'
import { useCreateSavedReportMutation, useUpdateSavedReportMutation } from './reports-api.ts'
import { describeChoice, describeSchedule } from './saved-report-words.ts'
import { ScheduleFields } from './schedule-fields.tsx'

/** The report that the page shows at the moment. */
export interface ShownReport {
  choice: Omit<ReportChoice, 'period'>
  /** A period of dates is not saved, because a saved one moves with the day. */
  period: string
  description: string
  /** The organisation's, once a report has loaded. */
  timeZone: string | undefined
}

interface SaveReportDialogProps {
  opened: boolean
  /** The report that is changed; undefined for a new one. */
  report: SavedReport | undefined
  shown: ShownReport
  onClose: () => void
  onSaved: (report: SavedReport) => void
}

/** Saves what the page shows, or changes a saved report. */
export function SaveReportDialog({ opened, report, shown, onClose, onSaved }: SaveReportDialogProps) {
  return (
    <StackedDialog
      name="save-report"
      opened={opened}
      onClose={onClose}
      title={report ? `Change “${report.name}”` : 'Save this report'}
    >
      <SaveReportForm
        key={report && `${report.id}:${report.version}`}
        report={report}
        shown={shown}
        onClose={onClose}
        onSaved={onSaved}
      />
    </StackedDialog>
  )
}

function SaveReportForm({ report: latest, shown, onClose, onSaved }: Omit<SaveReportDialogProps, 'opened'>) {
  const alerts = useAlerts()
  const { data: person } = useGetSessionQuery()
  const { data: mail } = useGetMailChoicesQuery()
  // A version that another page saves meanwhile must not slip in under this form.
  const [report] = useState(latest)
  const [client_id] = useState(newUuid)
  const [name, setName] = useState(report?.name ?? '')
  const [period, setPeriod] = useState<ReportPeriod>(
    report?.period ?? reportPeriod.safeParse(shown.period).data ?? 'last_30_days',
  )
  const [schedule, setSchedule] = useState(report?.schedule ?? null)
  const [chosen, setRecipients] = useState<readonly ChosenPerson[] | undefined>(report?.recipients)
  const [usesShown, setUsesShown] = useState(false)
  const [isIncomplete, setIncomplete] = useState(false)
  const { isSending, refusal, send } = useSending()
  const [create] = useCreateSavedReportMutation()
  const [update] = useUpdateSavedReportMutation()
  const recipients = chosen ?? (person ? [{ id: person.id, name: person.name }] : [])
  // If the form offers no choice of recipients, the server makes the owner the recipient.
  const choosesRecipients = mail?.is_available !== false && person?.role !== 'supervisor'
  const isWithoutRecipient = choosesRecipients && chosen?.length === 0

  async function submit(event: FormEvent) {
    event.preventDefault()
    setIncomplete(true)
    if (name.trim() === '' || isWithoutRecipient) return
    const recipient_ids = recipients.length > 0 ? recipients.map(({ id }) => id) : undefined
    const terms = { name, period, schedule, recipient_ids }
    const choice = report && !usesShown ? choiceOf(report) : shown.choice
    const answer = await send(
      () =>
        report
          ? update({ params: { id: report.id }, body: { ...choice, ...terms, version: report.version } })
          : create({ body: { ...choice, ...terms, client_id } }),
      'The report could not be saved. Please try again.',
    )
    if (!answer) return
    alerts.succeed(`The report “${answer.report.name}” is saved`)
    onSaved(answer.report)
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Name"
          autoComplete="off"
          maxLength={limits.savedReportNameMaxLength}
          data-autofocus
          value={name}
          error={isIncomplete && name.trim() === '' ? 'Enter a name' : undefined}
          onChange={event => setName(event.currentTarget.value)}
        />
        <p className={listStyles.dim}>Shows: {report && !usesShown ? describeChoice(report) : shown.description}</p>
        {report ? (
          <Checkbox
            label="Use the rows and filters that the page shows now"
            checked={usesShown}
            onChange={event => setUsesShown(event.currentTarget.checked)}
          />
        ) : null}
        <NativeSelect
          label="Period"
          description="It is counted from the day on which each report is made."
          data={reportPeriod.options.map(value => ({ value, label: movingPeriods[value] }))}
          value={period}
          onChange={event => setPeriod(reportPeriod.parse(event.currentTarget.value))}
        />
        <MailFields
          schedule={schedule}
          timeZone={shown.timeZone}
          recipients={recipients}
          error={isIncomplete && isWithoutRecipient ? 'Choose somebody' : undefined}
          onSchedule={setSchedule}
          onRecipients={setRecipients}
        />
        <p role="alert" className={styles.problem}>
          {refusal?.message}
        </p>
        <div className={styles.actions}>
          <Button type="submit" loading={isSending}>
            Save
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </Stack>
    </form>
  )
}

interface MailFieldsProps {
  schedule: SavedReport['schedule']
  timeZone: string | undefined
  recipients: readonly ChosenPerson[]
  error: string | undefined
  onSchedule: (schedule: SavedReport['schedule']) => void
  onRecipients: (recipients: ChosenPerson[]) => void
}

/** The schedule and the recipients of a report; without a mail server nothing is promised. */
function MailFields({ schedule, timeZone, recipients, error, onSchedule, onRecipients }: MailFieldsProps) {
  const { data: person } = useGetSessionQuery()
  const { data: mail } = useGetMailChoicesQuery()
  if (mail && !mail.is_available)
    return (
      <p className={listStyles.dim}>
        Your organisation has no mail server for Watchline, so reports are not sent.
        {schedule ? ` The schedule stays saved: ${describeSchedule(schedule)}.` : ''}
      </p>
    )
  const isRecipient = recipients.some(({ id }) => id === person?.id)
  return (
    <>
      <ScheduleFields schedule={schedule} organisationZone={timeZone} onChange={onSchedule} />
      {person && person.role !== 'supervisor' ? (
        <PeopleSelect
          label="Recipients"
          description="Supervisors, managers and directors whom you see. Each gets the figures of their own people, and nothing without the right to this report."
          staffOnly
          max={limits.savedReportRecipientsMax}
          chosen={recipients}
          error={error}
          onChoose={onRecipients}
        />
      ) : null}
      {schedule && person?.role === 'supervisor' ? <p className={listStyles.dim}>The report is sent to you.</p> : null}
      {isRecipient && mail?.address_problem ? (
        <p className={listStyles.dim}>Your address gets no mails at the moment. Your menu says why, under “Mails”.</p>
      ) : null}
      {isRecipient && mail && !mail.kinds.includes('saved_report') ? (
        <p className={listStyles.dim}>You get no saved reports until you turn them on in your menu, under “Mails”.</p>
      ) : null}
    </>
  )
}

function choiceOf({ by, playlist_id, status, group_id, supervisor_id, manager_id }: SavedReport) {
  return { by, playlist_id, status, group_id, supervisor_id, manager_id }
}
