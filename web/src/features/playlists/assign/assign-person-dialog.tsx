import { Button, Select } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { allPlaylists, useListPlaylistsQuery } from '../../../api/lists.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { useLastValue } from '../../../ui/hooks/use-last-value.ts'
import styles from '../playlists.module.css'
import { useAssignTask } from './use-assign-task.tsx'

/** The person who gets a task. */
export type Assignee = Pick<User, 'id' | 'name'>

interface AssignPersonDialogProps {
  assignee: Assignee | undefined
  onClose: () => void
  /** Opens the dialog for a new playlist. */
  onCreate: () => void
}

/** Assigns one of the caller's playlists to one person. */
export function AssignPersonDialog({ assignee, onClose, onCreate }: AssignPersonDialogProps) {
  const shownAssignee = useLastValue(assignee)
  return (
    <StackedDialog
      name="assign-person"
      opened={assignee !== undefined}
      onClose={onClose}
      title={<>Assign a task to {shownAssignee?.name}</>}
    >
      {shownAssignee ? (
        <PlaylistChoice key={shownAssignee.id} assignee={shownAssignee} onClose={onClose} onCreate={onCreate} />
      ) : null}
    </StackedDialog>
  )
}

type PlaylistChoiceProps = Omit<AssignPersonDialogProps, 'assignee'> & { assignee: Assignee }

function PlaylistChoice({ assignee, onClose, onCreate }: PlaylistChoiceProps) {
  const { data, error, isFetching, refetch } = useListPlaylistsQuery(
    { query: { ...allPlaylists.query, assignee: assignee.id } },
    { refetchOnMountOrArgChange: true },
  )
  if (!data)
    return error ? (
      <LoadFailed
        message="Couldn’t load the playlists."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      />
    ) : (
      <SkeletonRows rows={1} height={64} />
    )
  const unassigned = data.items.filter(({ assigned_users }) => !assigned_users.includes(assignee.id))
  if (unassigned.length > 0) return <AssignForm assignee={assignee} playlists={unassigned} onClose={onClose} />
  return (
    <EmptyState
      title={data.items.length === 0 ? 'No playlists yet' : `${assignee.name} already has all of your playlists`}
      action={
        <Button
          onClick={() => {
            onClose()
            onCreate()
          }}
        >
          New playlist
        </Button>
      }
    >
      Create a playlist; then you can assign it.
    </EmptyState>
  )
}

interface AssignFormProps {
  assignee: Assignee
  playlists: readonly Playlist[]
  onClose: () => void
}

function AssignForm({ assignee, playlists, onClose }: AssignFormProps) {
  const [playlistId, setPlaylistId] = useState<string | null>(null)
  const [problem, setProblem] = useState<string>()
  const { termsFields, assignTask, isAssigning } = useAssignTask(setProblem)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (playlistId === null) return setProblem('Choose a playlist')
    if (await assignTask(playlistId, [assignee.id])) onClose()
  }

  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      <Select
        label="Playlist"
        placeholder="Choose a playlist"
        searchable
        data-autofocus
        nothingFoundMessage="No playlist found"
        data={playlists.map(({ id, title }) => ({ value: id, label: title }))}
        value={playlistId}
        error={problem}
        onChange={id => {
          setPlaylistId(id)
          setProblem(undefined)
        }}
      />
      {termsFields}
      <div className={styles.actions}>
        <Button type="submit" loading={isAssigning}>
          Assign
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
