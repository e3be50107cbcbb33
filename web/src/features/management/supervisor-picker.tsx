import { Button, Radio, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { useId, useState } from 'react'
import { asFailure, explainFailure } from '../../api/failure.ts'
import { SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import styles from './management.module.css'
import { latestRequests, useListAvailableSupervisorsQuery, useListOwnRequestsQuery } from './management-api.ts'
import { SupervisorLabel } from './supervisor-label.tsx'

interface SupervisorPickerProps {
  chosen: User | undefined
  onChoose: (supervisor: User) => void
}

const pageLimit = 50

/** Picks a supervisor without a manager, except those with a pending request of this manager. */
export function SupervisorPicker({ chosen, onChoose }: SupervisorPickerProps) {
  const group = useId()
  const [searchText, setSearchText] = useState('')
  const [search] = useDebouncedValue(searchText.trim(), limits.searchDebounceMs)
  const { data, currentData, error, isFetching, refetch } = useListAvailableSupervisorsQuery(
    { query: { available: 'true', limit: pageLimit, search: search || undefined } },
    { refetchOnMountOrArgChange: true },
  )
  const { data: requests } = useListOwnRequestsQuery(latestRequests)
  const requestedIds = new Set(
    requests?.items.filter(({ status }) => status === 'pending').map(request => request.supervisor_id) ?? [],
  )

  // The previous answer stays while a new search loads, but not after it failed.
  const page = error ? currentData : (currentData ?? data)
  const available = page?.items.filter(({ id, deactivated_at }) => !deactivated_at && !requestedIds.has(id)) ?? []
  const choices = chosen && !available.some(({ id }) => id === chosen.id) ? [chosen, ...available] : available

  return (
    <div className={styles.stack}>
      <TextInput
        label="Search"
        type="search"
        placeholder="Beginning of a name or email"
        maxLength={limits.nameMaxLength}
        value={searchText}
        onChange={event => setSearchText(event.currentTarget.value)}
        // Enter must not submit the surrounding form.
        onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
        data-autofocus
      />
      <fieldset className={styles.choices} aria-busy={isFetching}>
        <legend>Available supervisors</legend>
        {choices.map(supervisor => (
          <Radio
            key={supervisor.id}
            name={group}
            className={styles.choice}
            checked={supervisor.id === chosen?.id}
            onChange={() => onChoose(supervisor)}
            label={<SupervisorLabel supervisor={supervisor} />}
          />
        ))}
        {!page && !error ? <SkeletonRows rows={3} height={48} /> : null}
        {page && !error && available.length === 0 ? (
          <NoSupervisors
            isSearching={search !== ''}
            requestedCount={requestedIds.size}
            hasMore={page.nextCursor !== undefined}
          />
        ) : null}
      </fieldset>
      {error ? (
        <div className={styles.failedLine} role="status">
          <span>
            {page
              ? 'The list could not be refreshed, so it may be out of date.'
              : 'Couldn’t load the supervisors, so the list is empty.'}{' '}
            {explainFailure(asFailure(error))}
          </span>
          <Button variant="default" size="xs" onClick={refetch} loading={isFetching}>
            Try Again
          </Button>
        </div>
      ) : null}
      {page?.nextCursor && available.length > 0 ? (
        <p className={listStyles.dim}>There are more supervisors. Search to find them.</p>
      ) : null}
    </div>
  )
}

interface NoSupervisorsProps {
  isSearching: boolean
  requestedCount: number
  hasMore: boolean
}

function NoSupervisors({ isSearching, requestedCount, hasMore }: NoSupervisorsProps) {
  if (isSearching || hasMore) return <p className={listStyles.dim}>No supervisor found. Try another name or email.</p>
  return (
    <p className={listStyles.dim}>
      {requestedCount > 0
        ? 'You have already requested every supervisor without a manager.'
        : 'Every supervisor already has a manager. An administrator can make more people supervisors.'}
    </p>
  )
}
