import { SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { Playlist } from '@watchline/contracts/playlists'
import { useState } from 'react'
import type { Person } from '../../../api/signed-in-person.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
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
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  return (
    <StackedDialog
      name="new-playlist"
      opened={opened}
      onClose={onClose}
      title="New playlist"
      size="xl"
      fullScreen={isPhone}
    >
      <CreationForms person={person} onCancel={onClose} onCreated={onCreated} />
    </StackedDialog>
  )
}

const creationWays = [
  { value: 'hand', label: 'Build manually' },
  { value: 'import', label: 'Import from YouTube' },
]

interface CreationFormsProps {
  person: Person
  onCancel: () => void
  onCreated: (playlist: Playlist) => void
}

/** Both forms keep their draft while the other one is open. */
function CreationForms({ person, ...form }: CreationFormsProps) {
  const draftKey = `watchline-new-playlist-${person.id}`
  const importKey = `watchline-import-playlist-${person.id}`
  const [creationWay, setCreationWay] = useState(() => (isEmptyImport(loadImport(importKey)) ? 'hand' : 'import'))
  const nextStep =
    person.role === 'manager' ? 'You can share it with your supervisors now.' : 'You can assign it to your team now.'
  return (
    <div className={styles.stack}>
      <SegmentedControl
        aria-label="How the playlist is made"
        data={creationWays}
        value={creationWay}
        onChange={setCreationWay}
      />
      {creationWay === 'hand' ? (
        <NewPlaylistForm draftKey={draftKey} nextStep={nextStep} {...form} />
      ) : (
        <ImportForm draftKey={importKey} nextStep={nextStep} {...form} />
      )}
    </div>
  )
}
