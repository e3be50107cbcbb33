import { Button, Checkbox, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import listStyles from '../../../ui/list.module.css'
import { StackedDialog } from '../../../ui/stacked-dialog.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/states.tsx'
import { useLastValue } from '../../../ui/use-last-value.ts'
import styles from '../playlists.module.css'
import { useAssignPlaylistMutation } from '../playlists-api.ts'
import { useAssignable } from './use-assignable.ts'

interface AssignDialogProps {
  playlist: Playlist | undefined
  onClose: () => void
}

export function AssignDialog({ playlist, onClose }: AssignDialogProps) {
  const shown = useLastValue(playlist)
  return (
    <StackedDialog name="assign" opened={playlist !== undefined} onClose={onClose} title={<>Assign “{shown?.title}”</>}>
      {shown ? <AssignForm playlist={shown} onClose={onClose} /> : null}
    </StackedDialog>
  )
}

const searchFrom = 8
const step = 100

function AssignForm({ playlist, onClose }: { playlist: Playlist; onClose: () => void }) {
  const alerts = useAlerts()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), limits.searchDebounceMs)
  const [chosen, setChosen] = useState<ReadonlyMap<string, User>>(new Map())
  const [problem, setProblem] = useState<string>()
  const [count, setCount] = useState(step)
  const [assign, { isLoading: assigning }] = useAssignPlaylistMutation()
  const { page, candidates, error, isFetching, refetch } = useAssignable(playlist, search)

  const showSearch =
    search !== '' || typed !== '' || (candidates?.length ?? 0) > searchFrom || page?.nextCursor !== undefined
  const shown = candidates?.slice(0, count) ?? []
  /** Chosen people stay visible during any search. */
  const chosenNotShown = [...chosen.values()].filter(member => !shown.some(({ id }) => id === member.id))

  function choose(member: User, isChosen: boolean) {
    const next = new Map(chosen)
    if (isChosen) next.set(member.id, member)
    else next.delete(member.id)
    setChosen(next)
    setProblem(undefined)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (chosen.size === 0) return setProblem('At least one team member must be selected')
    const answer = await assign({ params: { id: playlist.id }, body: { assigned_users: [...chosen.keys()] } })
    if (answer.error) return setProblem(asFailure(answer.error).detail ?? 'Failed to assign task')
    alerts.succeed(`Task assigned to ${answer.data.assigned} team member(s) successfully!`)
    onClose()
  }

  if (error && !page)
    return (
      <LoadFailed
        message="The team could not be loaded. Please try again."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      />
    )
  if (!page && search === '' && chosen.size === 0 && typed === '') return <SkeletonRows rows={4} height={48} />
  if (page && search === '' && candidates?.length === 0)
    return page.items.length === 0 && page.first ? (
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
          placeholder="Name or email"
          maxLength={limits.nameMaxLength}
          value={typed}
          onChange={event => setTyped(event.currentTarget.value)}
        />
      ) : null}
      <fieldset className={styles.choices} aria-busy={isFetching}>
        <legend>Team members</legend>
        {[...chosenNotShown, ...shown].map(member => (
          <Choice key={member.id} member={member} chosen={chosen.has(member.id)} onChoose={choose} />
        ))}
        {candidates?.length === 0 ? (
          <p className={listStyles.dim}>
            {page && page.items.length > 0
              ? 'Everybody found under that name is already assigned to this task.'
              : 'Nobody is found under that name.'}
          </p>
        ) : null}
        {candidates ? null : <p className={listStyles.dim}>Searching…</p>}
      </fieldset>
      {candidates && shown.length < candidates.length ? (
        <Button variant="default" size="xs" onClick={() => setCount(count + step)}>
          Show more
        </Button>
      ) : page?.nextCursor ? (
        <p className={listStyles.dim}>There are more people: search to find them.</p>
      ) : null}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={assigning}>
          {chosen.size === 0 ? 'Assign' : `Assign to ${chosen.size}`}
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

interface ChoiceProps {
  member: User
  chosen: boolean
  onChoose: (member: User, isChosen: boolean) => void
}

function Choice({ member, chosen, onChoose }: ChoiceProps) {
  return (
    <Checkbox
      className={styles.choice}
      checked={chosen}
      onChange={event => onChoose(member, event.currentTarget.checked)}
      label={
        <span className={styles.choiceWords}>
          <span className={listStyles.cut} title={member.name}>
            {member.name}
          </span>
          <span className={`${listStyles.cut} ${listStyles.dim}`} title={member.email}>
            {member.email}
          </span>
        </span>
      }
    />
  )
}
