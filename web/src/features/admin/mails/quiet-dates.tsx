import { Button, Group, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useRef, useState } from 'react'
import styles from './mail-settings.module.css'

interface QuietDatesProps {
  /** ISO 8601. */
  dates: readonly string[]
  onChange: (dates: string[]) => void
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })

/** Dates without reminders, for instance holidays. */
export function QuietDates({ dates, onChange }: QuietDatesProps) {
  const [date, setDate] = useState('')
  const field = useRef<HTMLInputElement>(null)

  function add() {
    if (date === '') return
    if (!dates.includes(date)) onChange([...dates, date].sort())
    setDate('')
  }

  function remove(removedDate: string) {
    onChange(dates.filter(quietDate => quietDate !== removedDate))
    field.current?.focus()
  }

  return (
    <div>
      <Group align="end">
        <TextInput
          ref={field}
          type="date"
          label="Dates without reminders"
          value={date}
          onChange={event => setDate(event.currentTarget.value)}
        />
        <Button variant="default" onClick={add} disabled={date === '' || dates.length >= limits.quietDatesMax}>
          Add date
        </Button>
      </Group>
      {dates.length > 0 ? (
        <ul className={styles.dates}>
          {dates.map(quietDate => (
            <li key={quietDate}>
              {format.format(new Date(quietDate))}
              <Button
                variant="subtle"
                size="compact-sm"
                onClick={() => remove(quietDate)}
                aria-label={`Remove ${format.format(new Date(quietDate))}`}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
