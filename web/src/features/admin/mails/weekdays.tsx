import { Checkbox, Group } from '@mantine/core'

interface WeekdaysProps {
  label: string
  /** 1 is Monday, 7 is Sunday. */
  days: readonly number[]
  /** The most days that can be chosen. */
  max?: number
  onChange: (days: number[]) => void
}

const names = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

export function Weekdays({ label, days, max = 7, onChange }: WeekdaysProps) {
  return (
    <Checkbox.Group label={label} value={days.map(String)} onChange={values => onChange(values.map(Number))}>
      <Group mt="xs" gap="md">
        {names.map((name, index) => (
          <Checkbox
            key={name}
            value={String(index + 1)}
            label={name}
            disabled={days.length >= max && !days.includes(index + 1)}
          />
        ))}
      </Group>
    </Checkbox.Group>
  )
}
