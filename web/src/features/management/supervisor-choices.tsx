import { Checkbox, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { matchesSearch } from '@watchline/contracts/search-text'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useReadOwnSupervisorsQuery } from '../../api/lists.ts'
import { Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { SelectAll } from '../../ui/lists/select-all.tsx'
import styles from './management.module.css'
import { SupervisorLabel } from './supervisor-label.tsx'

interface SupervisorChoicesProps {
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

const searchFrom = 8

/** Chooses any number of the manager's own supervisors. */
export function SupervisorChoices({ chosen, onChoose }: SupervisorChoicesProps) {
  const [searchText, setSearchText] = useState('')
  const { data, error, isFetching, refetch } = useReadOwnSupervisorsQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  const matchingSupervisors = data?.filter(({ name, email }) => matchesSearch(searchText, name, email)) ?? []

  function choose(ids: readonly string[], isChosen: boolean) {
    const nextIds = new Set(chosen)
    for (const id of ids) {
      if (isChosen) nextIds.add(id)
      else nextIds.delete(id)
    }
    onChoose(nextIds)
  }

  const list = data && (
    <fieldset className={styles.choices}>
      <legend>Supervisors</legend>
      <SelectAll
        className={styles.choice}
        ids={matchingSupervisors.map(({ id }) => id)}
        chosenIds={chosen}
        isSearching={searchText.trim() !== ''}
        onChoose={choose}
      />
      {matchingSupervisors.map(supervisor => (
        <Checkbox
          key={supervisor.id}
          className={styles.choice}
          checked={chosen.has(supervisor.id)}
          onChange={event => choose([supervisor.id], event.currentTarget.checked)}
          label={<SupervisorLabel supervisor={supervisor} />}
        />
      ))}
      {data.length === 0 ? (
        <p className={listStyles.dim}>
          You have no supervisors to share with yet. Choose Request Supervisor to get one.
        </p>
      ) : null}
      {data.length > 0 && matchingSupervisors.length === 0 ? (
        <p className={listStyles.dim}>No supervisor found. Try another name or email.</p>
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
          value={searchText}
          onChange={event => setSearchText(event.currentTarget.value)}
          // Enter must not submit the surrounding form.
          onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
        />
      ) : null}
      <Loaded
        message="Couldn’t load your supervisors."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonRows rows={3} height={48} />}
      >
        {list}
      </Loaded>
    </div>
  )
}
