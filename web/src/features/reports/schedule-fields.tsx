import { NativeSelect } from '@mantine/core'
import type { ReportSchedule } from '@watchline/contracts/saved-reports'
import { quarterHours } from '../../ui/dates/quarter-hours.ts'
import styles from './reports.module.css'
import { weekdayNames } from './saved-report-words.ts'

interface ScheduleFieldsProps {
  schedule: ReportSchedule | null
  /** The organisation's time zone, once it is known. */
  organisationZone: string | undefined
  onChange: (schedule: ReportSchedule | null) => void
}

const frequencies = { never: 'No schedule', day: 'Every day', week: 'Every week', month: 'Every month' }
type Frequency = keyof typeof frequencies

const days = Array.from({ length: 28 }, (_, index) => String(index + 1))

/** The time at which a report is sent: never, or on a day at a time. */
export function ScheduleFields({ schedule, organisationZone, onChange }: ScheduleFieldsProps) {
  const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = new Map([
    ...(schedule ? [[schedule.time_zone, schedule.time_zone] as const] : []),
    [ownZone, `Your time zone (${ownZone})`],
    ...(organisationZone ? [[organisationZone, `Time zone of the organisation (${organisationZone})`] as const] : []),
  ])

  function chooseFrequency(frequency: Frequency) {
    const { time = '08:00', time_zone = organisationZone ?? ownZone } = schedule ?? {}
    const at = { time, time_zone }
    if (frequency === 'never') onChange(null)
    else if (frequency === 'day') onChange({ every: 'day', ...at })
    else if (frequency === 'week') onChange({ every: 'week', weekday: 1, ...at })
    else onChange({ every: 'month', day: 1, ...at })
  }

  return (
    <div className={styles.schedule}>
      <NativeSelect
        label="Send by mail"
        data={Object.entries(frequencies).map(([value, label]) => ({ value, label }))}
        value={schedule?.every ?? 'never'}
        onChange={event => chooseFrequency(event.currentTarget.value as Frequency)}
      />
      {schedule?.every === 'week' ? (
        <NativeSelect
          label="Weekday"
          data={weekdayNames.map((label, index) => ({ value: String(index + 1), label }))}
          value={String(schedule.weekday)}
          onChange={event => onChange({ ...schedule, weekday: Number(event.currentTarget.value) })}
        />
      ) : null}
      {schedule?.every === 'month' ? (
        <NativeSelect
          label="Day of the month"
          data={days}
          value={String(schedule.day)}
          onChange={event => onChange({ ...schedule, day: Number(event.currentTarget.value) })}
        />
      ) : null}
      {schedule ? (
        <>
          <NativeSelect
            label={zones.size > 1 ? 'Time' : `Time (${schedule.time_zone})`}
            data={quarterHours.slice(0, -1)}
            value={schedule.time}
            onChange={event => onChange({ ...schedule, time: event.currentTarget.value })}
          />
          {zones.size > 1 ? (
            <NativeSelect
              label="Time zone"
              data={[...zones].map(([value, label]) => ({ value, label }))}
              value={schedule.time_zone}
              onChange={event => onChange({ ...schedule, time_zone: event.currentTarget.value })}
            />
          ) : null}
        </>
      ) : null}
    </div>
  )
}
