import { Modal } from '@mantine/core'
import type { Playlist } from '@watchline/contracts/playlists'
import type { Person } from '../../api/signed-in-person.ts'
import { AssignDialog } from './assign/assign-dialog.tsx'
import { type Assignee, AssignPersonDialog } from './assign/assign-person-dialog.tsx'
import { DueDateDialog, type DueDateSubject } from './assign/due-date-dialog.tsx'
import { OverrideDialog, type OverrideSubject } from './assign/override-dialog.tsx'
import { NewPlaylistDialog } from './create/new-playlist-dialog.tsx'
import { DeleteDialog } from './detail/delete-dialog.tsx'
import { EditDialog } from './detail/edit-dialog.tsx'
import { PlaylistDialog } from './detail/playlist-dialog.tsx'
import { ShareDialog } from './detail/share-dialog.tsx'
import { TasksMenu } from './list/tasks-menu.tsx'

/** An action whose dialog lies over the open playlist or the list. */
type PlaylistAction = 'assign' | 'share' | 'edit' | 'delete'

/** The contents of the dialogs about playlists. A dialog is open while it has its subject. */
export interface ShownDialogs {
  isTasksMenuOpen?: boolean
  isCreating?: boolean
  playlist?: Playlist | undefined
  pendingAction?: { action: PlaylistAction; playlist: Playlist } | undefined
  assignee?: Assignee | undefined
  dueDateSubject?: DueDateSubject | undefined
  overrideSubject?: OverrideSubject | undefined
}

/** Applies changes, or changes that depend on what is shown. */
export type ChangeDialogs = (changes: ShownDialogs | ((previous: ShownDialogs) => ShownDialogs)) => void

interface OpenDialogsProps {
  person: Person
  shown: ShownDialogs
  onChange: ChangeDialogs
  onStart?: ((playlistId: string) => void) | undefined
  onCreated?: ((playlist: Playlist) => void) | undefined
}

/** The dialogs about playlists. */
export function OpenDialogs({ person, shown, onChange, onStart, onCreated }: OpenDialogsProps) {
  const { pendingAction } = shown
  const create = () => onChange({ isCreating: true })
  const startAction = (action: PlaylistAction) => (playlist: Playlist) =>
    onChange({ pendingAction: { action, playlist } })
  const endAction = () => onChange({ pendingAction: undefined })
  const subjectOf = (action: PlaylistAction) => (pendingAction?.action === action ? pendingAction.playlist : undefined)
  /** Ignores a late answer for a playlist that was closed meanwhile. */
  const updateShownPlaylist = (playlist: Playlist) =>
    onChange(previous => (previous.playlist?.id === playlist.id ? { playlist } : {}))
  return (
    <Modal.Stack>
      <TasksMenu
        opened={shown.isTasksMenuOpen === true}
        onClose={() => onChange({ isTasksMenuOpen: false })}
        onAssign={startAction('assign')}
        onStart={onStart}
        hasManager={person.manager_id !== null}
        hasTasks={person.role !== 'director'}
        onCreate={create}
      />
      <NewPlaylistDialog
        opened={shown.isCreating === true}
        person={person}
        onClose={() => onChange({ isCreating: false })}
        onCreated={playlist => {
          onChange({ isCreating: false, isTasksMenuOpen: false })
          onCreated?.(playlist)
          onChange({ playlist })
        }}
      />
      <PlaylistDialog
        playlist={shown.playlist}
        person={person}
        onClose={() => onChange({ playlist: undefined })}
        onAssign={startAction('assign')}
        onShare={startAction('share')}
        onEdit={startAction('edit')}
        onDelete={startAction('delete')}
        onSetDue={dueDateSubject => onChange({ dueDateSubject })}
        onOverride={overrideSubject => onChange({ overrideSubject })}
        onChanged={updateShownPlaylist}
        onStart={onStart}
      />
      <AssignDialog playlist={subjectOf('assign')} onClose={endAction} />
      <AssignPersonDialog
        assignee={shown.assignee}
        onClose={() => onChange({ assignee: undefined })}
        onCreate={create}
      />
      <DueDateDialog subject={shown.dueDateSubject} onClose={() => onChange({ dueDateSubject: undefined })} />
      <OverrideDialog subject={shown.overrideSubject} onClose={() => onChange({ overrideSubject: undefined })} />
      <ShareDialog playlist={subjectOf('share')} onClose={endAction} onShared={updateShownPlaylist} />
      <EditDialog
        playlist={subjectOf('edit')}
        person={person}
        onClose={endAction}
        onSaved={playlist => {
          endAction()
          updateShownPlaylist(playlist)
        }}
      />
      <DeleteDialog
        playlist={subjectOf('delete')}
        person={person}
        onClose={endAction}
        onDeleted={() => {
          endAction()
          onChange({ playlist: undefined })
        }}
      />
    </Modal.Stack>
  )
}
