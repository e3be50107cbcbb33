import { SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { Playlist } from '@watchline/contracts/playlists'
import { useState } from 'react'
import type { Person } from '../../../api/session.ts'
import { StackedDialog } from '../../../ui/stacked-dialog.tsx'
import { isEmptyImport, loadImport } from '../draft/import-draft.ts'
import styles from '../playlists.module.css'
import { ImportForm } from './import-form.tsx'
import { NewPlaylistForm } from './new-playlist-form.tsx'

interface NewPlaylistDialogProps {
  opened: boolean
  person: Person
  onClose: () => void
  onCreated: (playlist: Playlist) => void
}

export function NewPlaylistDialog({ opened, person, onClose, onCreated }: NewPlaylistDialogProps) {
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
      <TwoWays person={person} onCancel={onClose} onCreated={onCreated} />
    </StackedDialog>
  )
}

const ways = [
  { value: 'hand', label: 'By hand' },
  { value: 'import', label: 'Import from YouTube' },
]

interface TwoWaysProps {
  person: Person
  onCancel: () => void
  onCreated: (playlist: Playlist) => void
}

/** Both forms keep their draft while the other one is open. */
function TwoWays({ person, ...form }: TwoWaysProps) {
  const draftKey = `watchline-new-playlist-${person.id}`
  const importKey = `watchline-import-playlist-${person.id}`
  const [way, setWay] = useState(() => (isEmptyImport(loadImport(importKey)) ? 'hand' : 'import'))
  const next =
    person.role === 'manager' ? 'You can share it with your supervisors now.' : 'You can assign it to your team now.'
  return (
    <div className={styles.stack}>
      <SegmentedControl aria-label="How the playlist is made" data={ways} value={way} onChange={setWay} />
      {way === 'hand' ? (
        <NewPlaylistForm draftKey={draftKey} next={next} {...form} />
      ) : (
        <ImportForm draftKey={importKey} next={next} {...form} />
      )}
    </div>
  )
}
