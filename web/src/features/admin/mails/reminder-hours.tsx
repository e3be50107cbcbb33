import { Checkbox, Group, NativeSelect } from '@mantine/core'
import type { ReminderSettings } from '@watchline/contracts/mail-settings'
import { quarterHours } from '../../../ui/dates/quarter-hours.ts'

interface ReminderHoursProps {
  hours: ReminderSettings['hours']
  onChange: (hours: ReminderSettings['hours']) => void
}

/** The hours of the day for reminders: all, or from one time until another. */
export function ReminderHours({ hours, onChange }: ReminderHoursProps) {
  return (
    <>
      <Checkbox
        label="Send reminders only between certain hours"
        checked={hours !== null}
        onChange={event => onChange(event.currentTarget.checked ? { from: '08:00', until: '18:00' } : null)}
      />
      {hours ? (
        <Group>
          <NativeSelect
            label="From"
            value={hours.from}
            data={quarterHours.filter(time => time < hours.until)}
            onChange={event => onChange({ ...hours, from: event.currentTarget.value })}
          />
          <NativeSelect
            label="Until"
            value={hours.until}
            data={quarterHours.filter(time => time > hours.from)}
            onChange={event => onChange({ ...hours, until: event.currentTarget.value })}
          />
        </Group>
      ) : null}
    </>
  )
}
