import { Button, Radio, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { useId, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { SkeletonRows } from '../../ui/states.tsx'
import styles from './management.module.css'
import { latestRequests, useListAvailableSupervisorsQuery, useListOwnRequestsQuery } from './management-api.ts'

interface SupervisorPickerProps {
  chosen: User | undefined
  onChoose: (supervisor: User) => void
}

const mostShown = 50

/** Picks one of the supervisors without a manager, searched on the server; those already asked for are not offered. */
export function SupervisorPicker({ chosen, onChoose }: SupervisorPickerProps) {
  const group = useId()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), limits.searchDebounceMs)
  const { data, currentData, error, isFetching, refetch } = useListAvailableSupervisorsQuery(
    { query: { available: 'true', limit: mostShown, search: search || undefined } },
    { refetchOnMountOrArgChange: true },
  )
  const { data: requests } = useListOwnRequestsQuery(latestRequests)
  const asked = new Set(
    requests?.items.filter(({ status }) => status === 'pending').map(each => each.supervisor_id) ?? [],
  )

  // While another search is on its way the answer before stays; of one that failed there is none.
  const page = error ? currentData : (currentData ?? data)
  const offered = page?.items.filter(({ id }) => !asked.has(id)) ?? []
  const found = chosen && !offered.some(({ id }) => id === chosen.id) ? [chosen, ...offered] : offered

  return (
    <div className={styles.stack}>
      <TextInput
        label="Search"
        type="search"
        placeholder="Name or email"
        maxLength={limits.nameMaxLength}
        value={typed}
        onChange={event => setTyped(event.currentTarget.value)}
        // Enter would send the form the field stands in.
        onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
        data-autofocus
      />
      <fieldset className={styles.choices} aria-busy={isFetching}>
        <legend>Available supervisors</legend>
        {found.map(supervisor => (
          <Radio
            key={supervisor.id}
            name={group}
            className={styles.choice}
            checked={supervisor.id === chosen?.id}
            onChange={() => onChoose(supervisor)}
            label={<Words supervisor={supervisor} />}
          />
        ))}
        {!page && !error ? <SkeletonRows rows={3} height={48} /> : null}
        {page && !error && offered.length === 0 ? (
          <Nobody searching={search !== ''} asked={asked.size} more={page.nextCursor !== undefined} />
        ) : null}
      </fieldset>
      {error ? (
        <div className={styles.failedLine} role="status">
          <span>
            {page
              ? 'The list could not be renewed; it is from before.'
              : 'The supervisors could not be loaded, so the list is empty.'}{' '}
            {asFailure(error).message}
          </span>
          <Button variant="default" size="xs" onClick={refetch} loading={isFetching}>
            Try Again
          </Button>
        </div>
      ) : null}
      {page?.nextCursor && offered.length > 0 ? (
        <p className={styles.dim}>There are more supervisors: search to find them.</p>
      ) : null}
    </div>
  )
}

function Words({ supervisor: { name, email, user_count = 0 } }: { supervisor: User }) {
  return (
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
  )
}

function Nobody({ searching, asked, more }: { searching: boolean; asked: number; more: boolean }) {
  if (searching || more) return <p className={styles.dim}>Nobody is found under that name. Try another.</p>
  return (
    <p className={styles.dim}>
      {asked > 0
        ? 'There is nobody else to ask for: every supervisor without a manager is already asked for.'
        : 'No supervisor is available: all of them have a manager. An administrator can make somebody a supervisor.'}
    </p>
  )
}
