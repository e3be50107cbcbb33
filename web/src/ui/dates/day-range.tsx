import { TextInput, type TextInputProps } from '@mantine/core'

interface DayRangeProps extends Pick<TextInputProps, 'flex' | 'maw'> {
  labels: readonly [first: string, last: string]
  /** ISO 8601, or empty for no bound. */
  from: string
  until: string
  onChange: (field: 'from' | 'until', day: string) => void
  /** The first day is after the last one. */
  isReversed: boolean
  /** The latest day that can be chosen. */
  max?: string
}

/** Two fields for the first and the last day of a filter. */
export function DayRange({ labels, from, until, onChange, isReversed, max = '9999-12-31', ...size }: DayRangeProps) {
  return (
    <>
      <TextInput
        {...size}
        label={labels[0]}
        type="date"
        max={max}
        value={from}
        onChange={event => onChange('from', event.currentTarget.value)}
      />
      <TextInput
        {...size}
        label={labels[1]}
        type="date"
        max={max}
        value={until}
        error={isReversed ? 'This day is before the first.' : undefined}
        onChange={event => onChange('until', event.currentTarget.value)}
      />
    </>
  )
}
