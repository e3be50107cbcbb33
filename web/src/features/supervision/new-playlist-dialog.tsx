import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { Playlist } from '@watchline/contracts/playback'
import { NewPlaylistForm } from './new-playlist-form.tsx'
import styles from './supervision.module.css'

interface NewPlaylistDialogProps {
  opened: boolean
  personId: string
  onClose: () => void
  onCreated: (playlist: Playlist) => void
}

export function NewPlaylistDialog({ opened, personId, onClose, onCreated }: NewPlaylistDialogProps) {
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  return (
    <Modal
      stackId="new-playlist"
      opened={opened}
      onClose={onClose}
      title={<span className={styles.dialogTitle}>New playlist</span>}
      size="xl"
      fullScreen={phone}
    >
      <NewPlaylistForm draftKey={`watchline-new-playlist-${personId}`} onCancel={onClose} onCreated={onCreated} />
    </Modal>
  )
}
