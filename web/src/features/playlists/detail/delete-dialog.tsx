import { Button } from '@mantine/core'
import type { Playlist } from '@watchline/contracts/playlists'
import { countAssignees, describeAssigneeScope } from '../../../api/assignees.ts'
import type { Person } from '../../../api/signed-in-person.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useLastValue } from '../../../ui/hooks/use-last-value.ts'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import styles from '../playlists.module.css'
import { useDeletePlaylistMutation } from '../playlists-api.ts'

interface DeleteDialogProps {
  playlist: Playlist | undefined
  person: Person
  onClose: () => void
  onDeleted: () => void
}

export function DeleteDialog({ playlist, ...props }: DeleteDialogProps) {
  const shownPlaylist = useLastValue(playlist)
  return (
    <StackedDialog
      name="delete-playlist"
      opened={playlist !== undefined}
      onClose={props.onClose}
      title={<>Delete “{shownPlaylist?.title}”?</>}
    >
      {shownPlaylist ? <Question playlist={shownPlaylist} {...props} /> : null}
    </StackedDialog>
  )
}

function Question({ playlist, person, onClose, onDeleted }: DeleteDialogProps & { playlist: Playlist }) {
  const alerts = useAlerts()
  const { isSending, refusal, send } = useSending()
  const [deletePlaylist] = useDeletePlaylistMutation()

  async function confirm() {
    const result = await send(
      () => deletePlaylist({ params: { id: playlist.id } }),
      'The playlist could not be deleted. Please try again.',
    )
    if (!result) return
    alerts.succeed(`“${playlist.title}” is deleted`)
    onDeleted()
  }

  return (
    <div className={styles.stack}>
      <p className={styles.description}>{describeConsequences(playlist, person)}</p>
      <p role="alert" className={styles.problem}>
        {refusal?.message}
      </p>
      <div className={styles.actions}>
        <Button color="red" onClick={confirm} loading={isSending}>
          Delete Playlist
        </Button>
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
      </div>
    </div>
  )
}

/** The consequences of the deletion for each group of people. */
function describeConsequences(playlist: Playlist, person: Person): string {
  const assigneeCount = countAssignees(playlist)
  const sharedCount = playlist.shared_with.length
  const scope = describeAssigneeScope(person)
  return [
    assigneeCount > 0
      ? `It disappears for the ${formatCount(assigneeCount, 'person', 'people')}${scope} it is assigned to.`
      : `Nobody${scope} has it assigned at present.`,
    scope && 'If a group has it, its members in other teams lose it, too.',
    sharedCount > 0 && `It also leaves the lists of the ${formatCount(sharedCount, 'supervisor')} it is shared with.`,
    'Watch records are kept.',
  ]
    .filter(Boolean)
    .join(' ')
}
