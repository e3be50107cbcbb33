import { Checkbox, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useReadOwnSupervisorsQuery } from '../../api/lists.ts'
import { LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import styles from './management.module.css'

import { matches } from './my-supervisors.tsx'

interface SupervisorChoicesProps {
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

const searchFrom = 8

/** The manager's own supervisors, to choose several of. */
export function SupervisorChoices({ chosen, onChoose }: SupervisorChoicesProps) {
  const [typed, setTyped] = useState('')
  const { data, error, isFetching, refetch } = useReadOwnSupervisorsQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  const shown = data?.filter(supervisor => matches(supervisor, typed)) ?? []
  const count = shown.filter(({ id }) => chosen.has(id)).length

  function choose(ids: readonly string[], on: boolean) {
    const next = new Set(chosen)
    for (const id of ids) {
      if (on) next.add(id)
      else next.delete(id)
    }
    onChoose(next)
  }

  const list = data && (
    <fieldset className={styles.choices}>
      <legend>Supervisors</legend>
      {shown.length > 1 ? (
        <Checkbox
          className={styles.choice}
          label={typed.trim() === '' ? `Select all ${shown.length}` : `Select all ${shown.length} found`}
          checked={count === shown.length}
          indeterminate={count > 0 && count < shown.length}
          onChange={event =>
            choose(
              shown.map(({ id }) => id),
              event.currentTarget.checked,
            )
          }
        />
      ) : null}
      {shown.map(({ id, name, email, user_count = 0 }) => (
        <Checkbox
          key={id}
          className={styles.choice}
          checked={chosen.has(id)}
          onChange={event => choose([id], event.currentTarget.checked)}
          label={
            <span className={styles.choiceWords}>
              <span className={styles.cut} title={name}>
                {name}
              </span>
              <span className={`${styles.cut} ${styles.dim}`} title={email}>
                {email}
              </span>
              <span className={styles.dim}>
                {user_count}/{limits.supervisorCapacity} users
              </span>
            </span>
          }
        />
      ))}
      {data.length === 0 ? (
        <p className={styles.dim}>
          You have no supervisors yet, so there is nobody to share with. Ask for one with Request Supervisor first.
        </p>
      ) : null}
      {data.length > 0 && shown.length === 0 ? (
        <p className={styles.dim}>Nobody is found under that name. Try another.</p>
      ) : null}
    </fieldset>
  )
  return (
    <div className={styles.stack}>
      {data && data.length > searchFrom ? (
        <TextInput
          label="Search supervisors"
          type="search"
          placeholder="Name or email"
          maxLength={limits.nameMaxLength}
          value={typed}
          onChange={event => setTyped(event.currentTarget.value)}
          // Enter would send the form the field stands in.
          onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
        />
      ) : null}
      {error ? (
        <LoadFailed
          message="Your supervisors could not be loaded. Please try again."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
        >
          {list}
        </LoadFailed>
      ) : (
        (list ?? <SkeletonRows rows={3} height={48} />)
      )}
    </div>
  )
}
