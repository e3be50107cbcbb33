import { useMediaQuery } from '@mantine/hooks'
import type { Playlist } from '@watchline/contracts/playlists'
import type { Person } from '../../../api/signed-in-person.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { useLastValue } from '../../../ui/hooks/use-last-value.ts'
import { EditForm } from './edit-form.tsx'

interface EditDialogProps {
  playlist: Playlist | undefined
  person: Person
  onClose: () => void
  onSaved: (playlist: Playlist) => void
}

export function EditDialog({ playlist, person, onClose, onSaved }: EditDialogProps) {
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const shownPlaylist = useLastValue(playlist)
  return (
    <StackedDialog
      name="edit-playlist"
      opened={playlist !== undefined}
      onClose={onClose}
      title={<>Edit “{shownPlaylist?.title}”</>}
      size="xl"
      fullScreen={phone}
    >
      {shownPlaylist ? (
        <EditForm
          playlist={shownPlaylist}
          draftKey={`watchline-edit-playlist-${person.id}-${shownPlaylist.id}`}
          onCancel={onClose}
          onSaved={onSaved}
        />
      ) : null}
    </StackedDialog>
  )
}
