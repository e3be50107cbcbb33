import { Button } from '@mantine/core'
import type { Playlist } from '@watchline/contracts/playlists'
import { countAssignees } from '../../../api/assignees.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useLastValue } from '../../../ui/hooks/use-last-value.ts'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import styles from '../playlists.module.css'
import { useDeletePlaylistMutation } from '../playlists-api.ts'

interface DeleteDialogProps {
  playlist: Playlist | undefined
  onClose: () => void
  onDeleted: () => void
}

export function DeleteDialog({ playlist, onClose, onDeleted }: DeleteDialogProps) {
  const shownPlaylist = useLastValue(playlist)
  return (
    <StackedDialog
      name="delete-playlist"
      opened={playlist !== undefined}
      onClose={onClose}
      title={<>Delete “{shownPlaylist?.title}”?</>}
    >
      {shownPlaylist ? <Question playlist={shownPlaylist} onClose={onClose} onDeleted={onDeleted} /> : null}
    </StackedDialog>
  )
}

function Question({ playlist, onClose, onDeleted }: DeleteDialogProps & { playlist: Playlist }) {
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
      <p className={styles.description}>{describeConsequences(playlist)}</p>
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
function describeConsequences(playlist: Playlist): string {
  const assigneeCount = countAssignees(playlist)
  const sharedCount = playlist.shared_with.length
  return [
    assigneeCount > 0
      ? `It disappears for the ${formatCount(assigneeCount, 'person', 'people')} it is assigned to.`
      : 'Nobody has it assigned at present.',
    sharedCount > 0 && `It also leaves the lists of the ${formatCount(sharedCount, 'supervisor')} it is shared with.`,
    'Watch records are kept.',
  ]
    .filter(Boolean)
    .join(' ')
}
