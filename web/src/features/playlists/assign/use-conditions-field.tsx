import { Select, TextInput } from '@mantine/core'
import { type ConditionsInput, conditionsInput, defaultConditions } from '@watchline/contracts/conditions'
import { limits } from '@watchline/contracts/limits'
import { type ChangeEvent, type ReactNode, type Ref, useRef, useState } from 'react'
import { asFailure, explainFailure, type Failure } from '../../../api/failure.ts'
import styles from '../playlists.module.css'
import { useGetConditionLimitsQuery } from '../playlists-api.ts'

const keepChoice = { value: 'keep', label: 'As before' }
const anyRate = 'any'
const rates = [1, 1.25, 1.5, 2, 3, 4]
const skippingChoices = [
  { value: 'yes', label: 'Allowed; skipped parts are not credited' },
  { value: 'no', label: 'Not allowed' },
]
const attentionChoices = [
  { value: 'no', label: 'None' },
  { value: 'yes', label: 'Ask now and then if the person is still watching' },
]

const problems: Record<string, string> = {
  required_percent: `Enter a whole number from ${limits.requiredPercentMin} to 100`,
  grace_days: `Enter a whole number of days, at most ${limits.graceMaxDays}`,
}

interface ConditionsFieldOptions {
  /** Offers a grace period. */
  hasDueDate: boolean
  /** Leaves what is not chosen as it is. */
  keeps: boolean
}

/** Fields for the conditions of a task, folded. */
export function useConditionsField({ hasDueDate, keeps }: ConditionsFieldOptions): {
  field: ReactNode
  /** Only what the person chose. Undefined, with the problem shown, while the input is wrong. */
  readConditions: () => ConditionsInput | undefined
  /** Shows the server's refusal of a condition; false if it refused something else. */
  showConditionsRefusal: (failure: Failure) => boolean
  changesConditions: boolean
} {
  const initial = keeps ? 'keep' : undefined
  const [isOpen, setOpen] = useState(false)
  const [percent, setPercent] = useState('')
  const [days, setDays] = useState('')
  const [rate, setRate] = useState(initial ?? anyRate)
  const [skipping, setSkipping] = useState(initial ?? 'yes')
  const [attention, setAttention] = useState(initial ?? 'no')
  const [problem, setProblem] = useState<{ field: string; text: string }>()
  const percentInput = useRef<HTMLInputElement>(null)
  const daysInput = useRef<HTMLInputElement>(null)
  const rateInput = useRef<HTMLInputElement>(null)
  const input: ConditionsInput = {
    ...(percent !== '' && { required_percent: Number(percent) }),
    ...(days !== '' && hasDueDate && { grace_days: Number(days) }),
    ...(rate !== (initial ?? anyRate) && { max_rate: rate === anyRate ? null : Number(rate) }),
    ...(skipping !== (initial ?? 'yes') && { allow_skipping: skipping === 'yes' }),
    ...(attention !== (initial ?? 'no') && { attention_checks: attention === 'yes' }),
  }

  function refuse(field: string, text: string): void {
    setOpen(true)
    setProblem({ field, text })
    const element = field === 'grace_days' ? daysInput : field === 'max_rate' ? rateInput : percentInput
    // A folded field takes no focus.
    requestAnimationFrame(() => element.current?.focus())
  }

  function readConditions() {
    const parsed = conditionsInput.safeParse(input)
    if (parsed.success) return parsed.data
    const field = String(parsed.error.issues[0]?.path[0])
    refuse(field, problems[field] ?? 'Choose other terms')
    return undefined
  }

  function showConditionsRefusal({ errors }: Failure): boolean {
    const error = errors?.find(({ path }) => /^(terms\.)?conditions/.test(path))
    if (!error) return false
    const field = error.path.split('.').at(-1) ?? ''
    if (field === 'grace_days') refuse(field, `The grace period ${error.message}`)
    else if (field === 'max_rate') refuse(field, `The credited speed ${error.message}`)
    else refuse('required_percent', problems[field] ?? error.message)
    return true
  }

  const numberField = (name: 'required_percent' | 'grace_days', change: (text: string) => void) => ({
    type: 'number',
    inputMode: 'numeric' as const,
    placeholder: keeps ? keepChoice.label : String(defaultConditions[name]),
    error: problem?.field === name ? problem.text : undefined,
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      change(event.currentTarget.value)
      setProblem(undefined)
    },
  })
  const field = (
    <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)} className={styles.moreTerms}>
      <summary>More terms</summary>
      {isOpen ? (
        <div className={styles.recurrence}>
          <div className={styles.pair}>
            <TextInput
              {...numberField('required_percent', setPercent)}
              ref={percentInput}
              min={limits.requiredPercentMin}
              max={100}
              label="Required percentage"
              value={percent}
            />
            {hasDueDate ? (
              <TextInput
                {...numberField('grace_days', setDays)}
                ref={daysInput}
                min={0}
                max={limits.graceMaxDays}
                label="Days of grace"
                value={days}
              />
            ) : null}
          </div>
          <CreditedSpeed
            inputRef={rateInput}
            keeps={keeps}
            value={rate}
            error={problem?.field === 'max_rate' ? problem.text : undefined}
            onChange={value => {
              setRate(value)
              setProblem(undefined)
            }}
          />
          <Select
            label="Skipping ahead"
            description="If not allowed, each video is watched from its start on, and the videos one after the other."
            allowDeselect={false}
            data={keeps ? [keepChoice, ...skippingChoices] : skippingChoices}
            value={skipping}
            onChange={value => setSkipping(value ?? 'yes')}
          />
          <Select
            label="Attention checks"
            description="Without an answer in time, the video pauses, and a note says so. No credit is lost."
            allowDeselect={false}
            data={keeps ? [keepChoice, ...attentionChoices] : attentionChoices}
            value={attention}
            onChange={value => setAttention(value ?? 'no')}
          />
        </div>
      ) : null}
    </details>
  )
  return { field, readConditions, showConditionsRefusal, changesConditions: Object.keys(input).length > 0 }
}

interface CreditedSpeedProps {
  inputRef: Ref<HTMLInputElement>
  keeps: boolean
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

/** Offers the speeds that this Watchline credits. Until they are known, only normal speed. */
function CreditedSpeed({ inputRef, keeps, value, error, onChange }: CreditedSpeedProps) {
  const { data, error: loadError } = useGetConditionLimitsQuery(undefined)
  const highest = data?.max_rate ?? 1
  const anySpeed = {
    value: anyRate,
    label: data ? `Any speed that Watchline credits (up to ${highest}×)` : 'Any speed that Watchline credits',
  }
  const choices = rates
    .filter(rate => rate <= highest)
    .map(rate => ({ value: String(rate), label: rate === 1 ? 'Normal speed only' : `Up to ${rate}×` }))
  return (
    <Select
      ref={inputRef}
      label="Credited speed"
      description={
        loadError && !data ? `Couldn’t load the higher speeds. ${explainFailure(asFailure(loadError))}` : undefined
      }
      allowDeselect={false}
      data={[...(keeps ? [keepChoice] : []), anySpeed, ...choices]}
      value={value}
      error={error}
      onChange={chosen => onChange(chosen ?? anyRate)}
    />
  )
}
