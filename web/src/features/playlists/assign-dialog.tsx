import { Button, Checkbox, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playback'
import { type FormEvent, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useListTeamQuery } from '../../api/lists.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import listStyles from '../../ui/list.module.css'
import { StackedDialog } from '../../ui/stacked-dialog.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import { useLasting } from '../../ui/use-lasting.ts'
import { assignableTeam } from './assignable-team.ts'
import styles from './playlists.module.css'
import { useAssignPlaylistMutation } from './playlists-api.ts'

interface AssignDialogProps {
  playlist: Playlist | undefined
  onClose: () => void
}

export function AssignDialog({ playlist, onClose }: AssignDialogProps) {
  const shown = useLasting(playlist)
  return (
    <StackedDialog name="assign" opened={playlist !== undefined} onClose={onClose} title={<>Assign “{shown?.title}”</>}>
      {shown ? <AssignForm playlist={shown} onClose={onClose} /> : null}
    </StackedDialog>
  )
}

const typingMs = 300
const searchFrom = 8

function AssignForm({ playlist, onClose }: { playlist: Playlist; onClose: () => void }) {
  const alerts = useAlerts()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), typingMs)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [problem, setProblem] = useState<string>()
  const [assign, { isLoading: assigning }] = useAssignPlaylistMutation()
  const { data, error, isFetching, refetch } = useListTeamQuery(assignableTeam(search), {
    refetchOnMountOrArgChange: true,
  })

  const candidates = data?.items.filter(({ id }) => !playlist.assigned_users.includes(id))
  const many = search !== '' || typed !== '' || (candidates?.length ?? 0) > searchFrom

  function choose(id: string, on: boolean) {
    const next = new Set(chosen)
    if (on) next.add(id)
    else next.delete(id)
    setChosen(next)
    setProblem(undefined)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (chosen.size === 0) return setProblem('At least one team member must be selected')
    const answer = await assign({ params: { id: playlist.id }, body: { assigned_users: [...chosen] } })
    if (answer.error) return setProblem(asFailure(answer.error).detail ?? 'Failed to assign task')
    alerts.succeed(`Task assigned to ${answer.data.assigned} team member(s) successfully!`)
    onClose()
  }

  if (error && !data)
    return (
      <LoadFailed
        message="The team could not be loaded. Please try again."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      />
    )
  if (!candidates) return <SkeletonRows rows={4} height={48} />
  if (data?.items.length === 0 && search === '')
    return (
      <EmptyState title="No team members assigned">
        Contact your administrator to assign users to your supervision
      </EmptyState>
    )
  if (candidates.length === 0 && search === '' && !data?.nextCursor)
    return (
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
      {many ? (
        <TextInput
          label="Search"
          type="search"
          placeholder="Name or email"
          maxLength={limits.nameMaxLength}
          value={typed}
          onChange={event => setTyped(event.currentTarget.value)}
        />
      ) : null}
      <fieldset className={styles.choices}>
        <legend>Team members</legend>
        {candidates.map(member => (
          <Choice key={member.id} member={member} chosen={chosen.has(member.id)} onChoose={choose} />
        ))}
        {candidates.length === 0 ? <p className={listStyles.dim}>Nobody to choose is found under that name.</p> : null}
      </fieldset>
      {data?.nextCursor ? <p className={listStyles.dim}>There are more people: search to find them.</p> : null}
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
  onChoose: (id: string, on: boolean) => void
}

function Choice({ member, chosen, onChoose }: ChoiceProps) {
  return (
    <Checkbox
      className={styles.choice}
      checked={chosen}
      onChange={event => onChoose(member.id, event.currentTarget.checked)}
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
