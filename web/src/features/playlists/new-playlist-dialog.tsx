import { useMediaQuery } from '@mantine/hooks'
import type { Playlist } from '@watchline/contracts/playback'
import { StackedDialog } from '../../ui/stacked-dialog.tsx'
import { NewPlaylistForm } from './new-playlist-form.tsx'

interface NewPlaylistDialogProps {
  opened: boolean
  personId: string
  onClose: () => void
  onCreated: (playlist: Playlist) => void
}

export function NewPlaylistDialog({ opened, personId, onClose, onCreated }: NewPlaylistDialogProps) {
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  return (
    <StackedDialog
      name="new-playlist"
      opened={opened}
      onClose={onClose}
      title="New playlist"
      size="xl"
      fullScreen={phone}
    >
      <NewPlaylistForm draftKey={`watchline-new-playlist-${personId}`} onCancel={onClose} onCreated={onCreated} />
    </StackedDialog>
  )
}
