import { Button, Checkbox, SegmentedControl, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatCount } from '../../../ui/dates/format.ts'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { useLastValue } from '../../../ui/hooks/use-last-value.ts'
import listStyles from '../../../ui/lists/list.module.css'
import { SelectAll } from '../../../ui/lists/select-all.tsx'
import { MarkedEmail } from '../../../ui/people/unverified-mark.tsx'
import { AssignableGroups } from '../groups/assignable-groups.tsx'
import { useAssignableGroups } from '../groups/use-assignable-groups.ts'
import styles from '../playlists.module.css'
import { useAssignTask } from './use-assign-task.tsx'
import { useAssignable } from './use-assignable.ts'

interface AssignDialogProps {
  playlist: Playlist | undefined
  onClose: () => void
}

export function AssignDialog({ playlist, onClose }: AssignDialogProps) {
  const shownPlaylist = useLastValue(playlist)
  return (
    <StackedDialog
      name="assign"
      opened={playlist !== undefined}
      onClose={onClose}
      title={<>Assign “{shownPlaylist?.title}”</>}
    >
      {shownPlaylist ? <AssignContent playlist={shownPlaylist} onClose={onClose} /> : null}
    </StackedDialog>
  )
}

const recipientKinds = [
  { value: 'people', label: 'People' },
  { value: 'groups', label: 'Groups' },
]

interface AssignContentProps {
  playlist: Playlist
  onClose: () => void
}

/** People or groups; those who may assign to no group see people only. */
function AssignContent({ playlist, onClose }: AssignContentProps) {
  const [kind, setKind] = useState('people')
  const { groups, error } = useAssignableGroups(playlist.id, { limit: 1 })
  const isChoiceKnown = groups !== undefined || error !== undefined
  return (
    <div className={styles.stack}>
      {error || (groups && groups.length > 0) ? (
        <SegmentedControl
          aria-label="Assign to people or groups"
          data={recipientKinds}
          value={kind}
          onChange={setKind}
          w="fit-content"
        />
      ) : null}
      {kind === 'people' ? (
        <AssignForm playlist={playlist} onClose={onClose} isHidden={!isChoiceKnown} />
      ) : (
        <AssignableGroups playlist={playlist} />
      )}
    </div>
  )
}

const searchFrom = 8
const countStep = 100

/**
 * `isHidden` shows a placeholder, so that the choice between people and groups, which comes later,
 * does not move the list under the mouse.
 */
function AssignForm({ playlist, onClose, isHidden }: AssignContentProps & { isHidden: boolean }) {
  const [searchText, setSearchText] = useState('')
  const [searchTerm] = useDebouncedValue(searchText.trim(), limits.searchDebounceMs)
  const [chosenMembers, setChosenMembers] = useState<ReadonlyMap<string, User>>(new Map())
  const [problem, setProblem] = useState<string>()
  const [count, setCount] = useState(countStep)
  const { termsFields, assignTask, isAssigning } = useAssignTask(setProblem)
  const { page, candidates, error, isFetching, refetch } = useAssignable(playlist, searchTerm)

  const showSearch =
    searchTerm !== '' || searchText !== '' || (candidates?.length ?? 0) > searchFrom || page?.nextCursor !== undefined
  const shownCandidates = candidates?.slice(0, count) ?? []
  /** Chosen people stay visible during any search. */
  const unlistedChoices = [...chosenMembers.values()].filter(
    member => !shownCandidates.some(({ id }) => id === member.id),
  )

  function choose(members: readonly User[], isChosen: boolean) {
    const nextChosen = new Map(chosenMembers)
    for (const member of members) {
      if (isChosen) nextChosen.set(member.id, member)
      else nextChosen.delete(member.id)
    }
    setChosenMembers(nextChosen)
    setProblem(undefined)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (chosenMembers.size === 0) return setProblem('At least one team member must be selected')
    if (chosenMembers.size > limits.assignMaxPeople)
      return setProblem(`A task can be assigned to at most ${limits.assignMaxPeople} people at a time`)
    if (await assignTask(playlist.id, [...chosenMembers.keys()])) onClose()
  }

  if (error && !page)
    return (
      <LoadFailed
        message="Couldn’t load the team."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      />
    )
  if (isHidden || (!page && searchTerm === '' && chosenMembers.size === 0 && searchText === ''))
    return <SkeletonRows rows={4} height={48} />
  if (page && searchTerm === '' && candidates?.length === 0 && page.nextCursor === undefined)
    return page.items.length === 0 && page.isFirst ? (
      <EmptyState title="No team members assigned">
        Contact your administrator to assign users to your supervision
      </EmptyState>
    ) : (
      <EmptyState
        title="All team members are already assigned to this task"
        action={
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        }
      />
    )

  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      {showSearch ? (
        <TextInput
          label="Search"
          type="search"
          placeholder="Beginning of a name or email"
          maxLength={limits.nameMaxLength}
          value={searchText}
          onChange={event => setSearchText(event.currentTarget.value)}
        />
      ) : null}
      <fieldset className={styles.choices} aria-busy={isFetching}>
        <legend>Team members</legend>
        <SelectAll
          className={styles.choice}
          ids={shownCandidates.map(({ id }) => id)}
          chosenIds={chosenMembers}
          isSearching={searchTerm !== ''}
          onChoose={(_, isChosen) => choose(shownCandidates, isChosen)}
        />
        {[...unlistedChoices, ...shownCandidates].map(member => (
          <Choice key={member.id} member={member} isChosen={chosenMembers.has(member.id)} onChoose={choose} />
        ))}
        {candidates?.length === 0 ? (
          <p className={listStyles.dim}>{describeNoCandidates(searchTerm, page?.items.length ?? 0)}</p>
        ) : null}
        {candidates ? null : <p className={listStyles.dim}>Searching…</p>}
      </fieldset>
      {candidates && shownCandidates.length < candidates.length ? (
        <Button variant="default" size="xs" onClick={() => setCount(count + countStep)}>
          Show more
        </Button>
      ) : page?.nextCursor ? (
        <p className={listStyles.dim}>There are more people: search to find them.</p>
      ) : null}
      {termsFields}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={isAssigning}>
          {chosenMembers.size === 0 ? 'Assign' : `Assign to ${formatCount(chosenMembers.size, 'person', 'people')}`}
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function describeNoCandidates(searchTerm: string, foundCount: number): string {
  if (foundCount === 0) return 'Nobody is found under that name.'
  if (searchTerm === '') return 'Thousands of people at the top of the list are already assigned to this task.'
  return 'Everybody found under that name is already assigned to this task.'
}

interface ChoiceProps {
  member: User
  isChosen: boolean
  onChoose: (members: readonly User[], isChosen: boolean) => void
}

function Choice({ member, isChosen, onChoose }: ChoiceProps) {
  return (
    <Checkbox
      className={styles.choice}
      checked={isChosen}
      onChange={event => onChoose([member], event.currentTarget.checked)}
      label={
        <span className={styles.choiceWords}>
          <span className={listStyles.cut} title={member.name}>
            {member.name}
          </span>
          <MarkedEmail email={member.email} verified={member.email_verified} />
        </span>
      }
    />
  )
}
