import { Select, TextInput } from '@mantine/core'
import { type RecurrenceInput, type RecurrenceUnit, recurrenceInput } from '@watchline/contracts/recurrence'
import { type ReactNode, useId, useRef, useState } from 'react'
import type { Failure } from '../../../api/failure.ts'
import { describeRecurrence } from '../../../ui/tasks/recurrence-note.tsx'
import styles from '../playlists.module.css'

type Choice = 'keep' | 'never' | RecurrenceUnit
type CountFrom = RecurrenceInput['from']

const unitChoices: { value: Choice; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: 'week', label: 'Every week, or every few weeks' },
  { value: 'month', label: 'Every month, or every few months' },
  { value: 'year', label: 'Every year, or every few years' },
]
const keepChoice = { value: 'keep' as const, label: 'As before' }

/** Suggested for a new choice of a unit: the days before the due date at which the task opens. */
const suggestedDays: Record<RecurrenceUnit, string> = { week: '6', month: '14', year: '30' }

const problems: Record<string, string> = {
  interval: 'Enter a whole number; at most ten years',
  opens_days_before: 'Enter a whole number of days, fewer than the period has',
}

/**
 * Fields for how often a task repeats. `local` is the due date beside them; `keeps` offers to leave
 * the repetition as it is.
 */
export function useRecurrenceField({ local, keeps }: { local: string; keeps: boolean }): {
  field: ReactNode
  /**
   * Null: never. `keep`: as it is. Undefined, with the problem shown, while the input is wrong.
   */
  readRecurrence: () => RecurrenceInput | null | 'keep' | undefined
  /** Shows the server's refusal of the repetition; false if it refused something else. */
  showRecurrenceRefusal: (failure: Failure) => boolean
  changesRecurrence: boolean
} {
  const [choice, setChoice] = useState<Choice>(keeps ? 'keep' : 'never')
  const [interval, setInterval] = useState('1')
  const [days, setDays] = useState('30')
  const [from, setFrom] = useState<CountFrom>('due_date')
  const [problem, setProblem] = useState<{ field: string; text: string }>()
  const intervalInput = useRef<HTMLInputElement>(null)
  const daysInput = useRef<HTMLInputElement>(null)
  const summaryId = useId()
  const isRepeating = choice !== 'keep' && choice !== 'never'
  const input = { interval: Number(interval), unit: choice, from, opens_days_before: Number(days) }
  const parsed = recurrenceInput.safeParse(input)

  function refuse(field: string, text: string): void {
    setProblem({ field, text })
    const element = field === 'interval' ? intervalInput : daysInput
    element.current?.focus()
  }

  function readRecurrence() {
    if (choice === 'keep') return choice
    if (choice === 'never') return null
    if (parsed.success) return parsed.data
    const field = String(parsed.error.issues[0]?.path[0])
    refuse(field, problems[field] ?? 'Choose how often the task repeats')
    return undefined
  }

  function showRecurrenceRefusal({ errors }: Failure): boolean {
    const error = errors?.find(({ path }) => /^(terms\.)?recurrence/.test(path))
    if (!error) return false
    const field = error.path.split('.').at(-1) ?? ''
    const text = problems[field]
    if (text) refuse(field, text)
    else refuse('interval', 'Enter a due date; without one a task cannot repeat')
    return true
  }

  const problemOf = (field: string) => (problem?.field === field ? problem.text : undefined)
  const field = (
    <div className={styles.recurrence}>
      <Select
        label="Repeats"
        allowDeselect={false}
        data={keeps ? [keepChoice, ...unitChoices] : unitChoices}
        value={choice}
        onChange={value => {
          const next = (value ?? 'never') as Choice
          setChoice(next)
          if (next !== 'keep' && next !== 'never') setDays(suggestedDays[next])
          setProblem(undefined)
        }}
      />
      {isRepeating ? (
        <>
          <div className={styles.pair}>
            <TextInput
              ref={intervalInput}
              type="number"
              inputMode="numeric"
              min={1}
              label={`Number of ${choice}s`}
              value={interval}
              error={problemOf('interval')}
              aria-describedby={summaryId}
              onChange={event => {
                setInterval(event.currentTarget.value)
                setProblem(undefined)
              }}
            />
            <TextInput
              ref={daysInput}
              type="number"
              inputMode="numeric"
              min={1}
              label="Opens again, days before the due date"
              value={days}
              error={problemOf('opens_days_before')}
              aria-describedby={summaryId}
              onChange={event => {
                setDays(event.currentTarget.value)
                setProblem(undefined)
              }}
            />
          </div>
          <Select
            label="Next due date counts from"
            allowDeselect={false}
            data={[
              { value: 'due_date', label: 'The due date' },
              { value: 'completion', label: 'The completion' },
            ]}
            value={from}
            onChange={value => setFrom((value ?? 'due_date') as CountFrom)}
          />
          <p id={summaryId} className={styles.summary} aria-live="polite">
            {parsed.success ? describeRecurrence(local, parsed.data) : null}
          </p>
        </>
      ) : null}
    </div>
  )
  return { field, readRecurrence, showRecurrenceRefusal, changesRecurrence: choice !== 'keep' }
}
