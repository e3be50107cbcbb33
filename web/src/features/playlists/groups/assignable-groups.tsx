import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { AssignableGroup } from '@watchline/contracts/group-assignments'
import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playlists'
import { useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import listStyles from '../../../ui/lists/list.module.css'
import styles from '../playlists.module.css'
import { GroupAssignmentForm } from './group-assignment-form.tsx'
import { GroupState } from './group-state.tsx'
import { useAssignableGroups } from './use-assignable-groups.ts'

const searchFrom = 8

/** The groups that can get a playlist, or have it; each opens its actions. */
export function AssignableGroups({ playlist }: { playlist: Playlist }) {
  const [searchText, setSearchText] = useState('')
  const [search] = useDebouncedValue(searchText.trim(), limits.searchDebounceMs)
  const [openId, setOpenId] = useState<string>()
  const { groups, hasMore, error, isFetching, refetch } = useAssignableGroups(playlist.id, { search, isPolled: true })
  const region = useRef<HTMLDivElement>(null)
  useKeptFocus(region)
  const openGroup = groups?.find(({ group_id }) => group_id === openId)
  const failure = error && (
    <LoadFailed
      message="Couldn’t load the groups."
      failure={asFailure(error)}
      onRetry={refetch}
      retrying={isFetching}
      oldBelow={groups !== undefined}
    />
  )
  if (openGroup)
    return (
      <div ref={region} tabIndex={-1} className={styles.stack}>
        {failure}
        <GroupAssignmentForm
          key={openGroup.group_id}
          playlist={playlist}
          group={openGroup}
          onClose={() => setOpenId(undefined)}
        />
      </div>
    )
  return (
    <div ref={region} tabIndex={-1} className={styles.stack}>
      {failure}
      {searchText !== '' || (groups?.length ?? 0) > searchFrom || hasMore ? (
        <TextInput
          label="Search"
          type="search"
          placeholder="Part of a group’s name"
          maxLength={limits.nameMaxLength}
          value={searchText}
          onChange={event => setSearchText(event.currentTarget.value)}
        />
      ) : null}
      {groups || error ? null : <SkeletonRows rows={3} height={56} />}
      <ul className={`${styles.lines} ${styles.groups}`} aria-label="Groups" aria-busy={isFetching}>
        {groups?.map(group => (
          <GroupLine key={group.group_id} group={group} onOpen={() => setOpenId(group.group_id)} />
        ))}
      </ul>
      {groups?.length === 0 ? <p className={listStyles.dim}>No group is found under that name.</p> : null}
      {hasMore ? <p className={listStyles.dim}>There are more groups: search to find them.</p> : null}
    </div>
  )
}

function GroupLine({ group, onOpen }: { group: AssignableGroup; onOpen: () => void }) {
  const isAssigned = group.assignment?.status === 'assigned'
  return (
    <li className={styles.line}>
      <div className={styles.grow}>
        <div className={styles.cutAlone} title={group.name}>
          {group.name}
        </div>
        <GroupState group={group} />
      </div>
      <Button
        variant="default"
        size="xs"
        onClick={onOpen}
        aria-label={`${isAssigned ? 'Change' : 'Assign'} ${group.name}`}
      >
        {isAssigned ? 'Change' : 'Assign'}
      </Button>
    </li>
  )
}
