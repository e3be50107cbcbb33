import { NativeSelect } from '@mantine/core'
import type { ReminderSettings } from '@watchline/contracts/mail-settings'
import { quarterHours } from '../../../ui/dates/quarter-hours.ts'
import styles from './mail-settings.module.css'
import { Weekdays } from './weekdays.tsx'

interface DigestTimesProps {
  digest: ReminderSettings['digest']
  onChange: (digest: ReminderSettings['digest']) => void
}

/**
 * The days and the time of the digests that supervisors choose, and the time of managers’ mails.
 */
export function DigestTimes({ digest, onChange }: DigestTimesProps) {
  return (
    <fieldset className={styles.group}>
      <legend>Digest for supervisors</legend>
      <p className={styles.dim}>
        Supervisors who choose it in their menu get a mail with the overdue tasks of their team and those due within a
        week. Without such a task there is no mail.
      </p>
      <Weekdays
        label="Days of the digest"
        days={digest.weekdays}
        onChange={weekdays => onChange({ ...digest, weekdays })}
      />
      <NativeSelect
        label="Time of the digest"
        value={digest.time}
        data={quarterHours.slice(0, -1)}
        onChange={event => onChange({ ...digest, time: event.currentTarget.value })}
        className={styles.time}
      />
      <p className={styles.dim}>
        Your operator can set how many days after its due date an open task is reported to the manager of the
        supervisor. The manager sees it in Watchline at once, and gets one mail a day at this time. If the supervisor
        has no manager, nobody is notified.
      </p>
    </fieldset>
  )
}
