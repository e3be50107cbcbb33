import { Select, TextInput } from '@mantine/core'
import type { DueDateInput } from '@watchline/contracts/assignments'
import { type ReactNode, useRef, useState } from 'react'
import type { Failure } from '../../../api/failure.ts'
import styles from '../playlists.module.css'

const organisationZone = ''

/**
 * A field for a due date on the clocks of the organisation or of the person who types. The
 * description says what an empty field means.
 */
export function useDueDateField(description?: string): {
  field: ReactNode
  /** The date and time that are entered, or an empty text. */
  local: string
  /** Null without a date; undefined, with the problem shown, while the input is incomplete. */
  readDue: () => DueDateInput | null | undefined
  /** Shows the server's refusal of the due date; false if it refused something else. */
  showRefusal: (failure: Failure) => boolean
} {
  const [local, setLocal] = useState('')
  const [zone, setZone] = useState(organisationZone)
  const [problem, setProblem] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

  function refuse(text: string): void {
    setProblem(text)
    input.current?.focus()
  }

  function readDue() {
    if (input.current?.validity.badInput) {
      refuse('Enter the date and the time')
      return undefined
    }
    if (local === '') return null
    return zone === organisationZone ? { local } : { local, time_zone: zone }
  }

  function showRefusal({ errors }: Failure): boolean {
    const error = errors?.find(({ path }) => /^(terms\.)?due/.test(path))
    if (error) refuse(`The due date ${error.message}`)
    return error !== undefined
  }

  const field = (
    <div className={styles.due}>
      <TextInput
        ref={input}
        type="datetime-local"
        label="Due date"
        description={description}
        max="9999-12-31T23:59"
        value={local}
        error={problem}
        onChange={event => {
          setLocal(event.currentTarget.value)
          setProblem(undefined)
        }}
      />
      {local === '' ? null : (
        <Select
          label="Time zone"
          allowDeselect={false}
          data={[
            { value: organisationZone, label: 'Time zone of the organisation' },
            { value: ownZone, label: `Your time zone (${ownZone})` },
          ]}
          value={zone}
          onChange={value => setZone(value ?? organisationZone)}
        />
      )}
    </div>
  )
  return { field, local, readDue, showRefusal }
}
