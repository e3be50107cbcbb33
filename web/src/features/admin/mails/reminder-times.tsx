import { Button, Group } from '@mantine/core'
import type { ReminderSettings, SavedReminderSettings } from '@watchline/contracts/mail-settings'
import { useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { createTimeFormat } from '../../../ui/dates/time-format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { FormError } from '../sign-in/password-form-frame.tsx'
import { DigestTimes } from './digest-times.tsx'
import styles from './mail-settings.module.css'
import { useGetReminderSettingsQuery, useSaveReminderSettingsMutation } from './mail-settings-api.ts'
import { QuietDates } from './quiet-dates.tsx'
import { ReminderHours } from './reminder-hours.tsx'
import { Weekdays } from './weekdays.tsx'

/** The times and days on which reminders of due dates are sent by mail. */
export function ReminderTimes() {
  const { data, error, isFetching, refetch } = useGetReminderSettingsQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  return (
    <section aria-labelledby="reminder-times" className={styles.section}>
      <div>
        <h2 id="reminder-times" className={styles.title}>
          Times of reminders and digests
        </h2>
        <p className={styles.dim}>
          Reminders of due dates, and mails to managers about overdue tasks, wait for the next allowed time. A reminder
          that would come after the due date, or less than an hour before, is sent at once. Other mails and
          notifications in Watchline come at any time.
        </p>
      </div>
      {error ? (
        <LoadFailed
          message="Couldn’t load the times."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
          oldBelow={data !== undefined}
        />
      ) : null}
      {data ? (
        // A version that somebody else saved replaces the form.
        <TimesForm key={data.version} saved={data} onReload={refetch} />
      ) : error ? null : (
        <SkeletonRows rows={2} height={96} />
      )}
    </section>
  )
}

function TimesForm({ saved, onReload }: { saved: SavedReminderSettings; onReload: () => void }) {
  const alerts = useAlerts()
  const { isSending, refusal, clearRefusal, send } = useSending()
  const [saveSettings] = useSaveReminderSettingsMutation()
  const { hours, quiet_weekdays, quiet_dates, digest, version } = saved
  const [draft, setDraft] = useState<ReminderSettings>({ hours, quiet_weekdays, quiet_dates, digest })
  const isChanged = JSON.stringify(sortSettings(draft)) !== JSON.stringify(sortSettings(saved))

  function change(changed: Partial<ReminderSettings>) {
    setDraft({ ...draft, ...changed })
    clearRefusal()
  }

  async function save() {
    const body = { ...sortSettings(draft), version }
    if (!(await send(() => saveSettings({ body }), 'Failed to save the times'))) return
    alerts.succeed('The times are saved', 'They apply to waiting reminders, too.')
    onReload()
  }

  return (
    <div className={styles.form}>
      <ReminderHours hours={draft.hours} onChange={value => change({ hours: value })} />
      <Weekdays
        label="Days without reminders"
        // One day must stay.
        max={6}
        days={draft.quiet_weekdays}
        onChange={days => change({ quiet_weekdays: days })}
      />
      <QuietDates dates={draft.quiet_dates} onChange={dates => change({ quiet_dates: dates })} />
      <DigestTimes digest={draft.digest} onChange={value => change({ digest: value })} />
      {refusal ? <FormError>{refusal.message}</FormError> : null}
      <Group>
        {refusal?.failure.code === 'edited_elsewhere' ? (
          <Button onClick={onReload}>Load the saved times</Button>
        ) : (
          <Button onClick={save} disabled={!isChanged} aria-disabled={isSending}>
            Save the times
          </Button>
        )}
      </Group>
      <p className={styles.dim}>
        The times are those of {saved.time_zone}. {describeNext(saved)} People who chose another time zone in their menu
        get theirs at its times.
        {saved.updated_at ? (
          <>
            {' '}
            Last changed by {saved.updated_by} <RelativeTime time={saved.updated_at} inline />
          </>
        ) : null}
      </p>
    </div>
  )
}

function describeNext({ next_allowed_at, time_zone }: SavedReminderSettings): string {
  const at = Date.parse(next_allowed_at)
  if (at <= Date.now()) return 'Reminders can be sent now.'
  const format = createTimeFormat({ dateStyle: 'full', timeStyle: 'short', timeZone: time_zone })
  return `The next reminders are sent on ${format(at)}.`
}

function sortSettings({ hours, quiet_weekdays, quiet_dates, digest }: ReminderSettings): ReminderSettings {
  return {
    hours,
    quiet_weekdays: quiet_weekdays.toSorted(),
    quiet_dates: quiet_dates.toSorted(),
    digest: { ...digest, weekdays: digest.weekdays.toSorted() },
  }
}
