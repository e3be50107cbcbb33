import { Select, TextInput } from '@mantine/core'
import type { DueDateInput } from '@watchline/contracts/assignments'
import { type ReactNode, useRef, useState } from 'react'
import type { Failure } from '../../../api/failure.ts'
import { useGetMailChoicesQuery } from '../../../api/mail-choices.ts'
import styles from '../playlists.module.css'

const organisationZone = ''
/** No time zone has this name. */
const personalZones = 'person'

/**
 * A field for a due date on the clocks of the organisation, of each person who has the task, or of
 * the person who types. The description says what an empty field means.
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
  const { data: choices } = useGetMailChoicesQuery(undefined, { skip: local === '' })
  const zoneName = choices?.organisation_time_zone
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
    if (zone === personalZones) return { local, time_zone_of: 'person' as const }
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
          // Above the input, it would move it away from the line of the other field.
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          description={
            zone === personalZones
              ? 'Each task is due at this time on the clocks of its person. If the person has chosen no time zone, it is that of the organisation.'
              : undefined
          }
          data={[
            { value: organisationZone, label: `Time zone of the organisation${zoneName ? ` (${zoneName})` : ''}` },
            { value: personalZones, label: 'Time zone of each person' },
            { value: ownZone, label: `Your time zone (${ownZone})` },
          ]}
          value={zone}
          onChange={value => {
            setZone(value ?? organisationZone)
            setProblem(undefined)
          }}
        />
      )}
    </div>
  )
  return { field, local, readDue, showRefusal }
}
