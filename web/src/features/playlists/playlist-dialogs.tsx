import { Modal } from '@mantine/core'
import type { Playlist } from '@watchline/contracts/playlists'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import type { Person } from '../../api/signed-in-person.ts'
import { openPlaylist, useCommand } from '../../ui/frame-commands.ts'
import { AssignDialog } from './assign/assign-dialog.tsx'
import { type Assignee, AssignPersonDialog } from './assign/assign-person-dialog.tsx'
import { DueDateDialog, type DueDateSubject } from './assign/due-date-dialog.tsx'
import { NewPlaylistDialog } from './create/new-playlist-dialog.tsx'
import { DeleteDialog } from './detail/delete-dialog.tsx'
import { EditDialog } from './detail/edit-dialog.tsx'
import { PlaylistDialog } from './detail/playlist-dialog.tsx'
import { ShareDialog } from './detail/share-dialog.tsx'
import { TasksMenu } from './list/tasks-menu.tsx'

/** Actions for the screens inside `PlaylistDialogs`. */
export interface PlaylistDialogsControl {
  person: Person
  open: (playlist: Playlist) => void
  create: () => void
  openTasks: () => void
  /** Opens the choice of the supervisors who share a playlist. */
  share: (playlist: Playlist) => void
  /** Opens the choice of a playlist for one person. */
  assignTo: (assignee: Assignee) => void
}

const DialogsContext = createContext<PlaylistDialogsControl | undefined>(undefined)

export function usePlaylistDialogs(): PlaylistDialogsControl {
  const dialogs = useContext(DialogsContext)
  if (!dialogs) throw new Error('usePlaylistDialogs needs PlaylistDialogs above')
  return dialogs
}

interface PlaylistDialogsProps {
  person: Person
  /** Opens the monitoring session of a playlist. */
  onStart?: (playlistId: string) => void
  /** Lets the screen navigate to the list. The dialogs open the new playlist themselves. */
  onCreated?: (playlist: Playlist) => void
  children: ReactNode
}

/** An action whose dialog lies over the open playlist or the list. */
type PlaylistAction = 'assign' | 'share' | 'edit' | 'delete'

/** All dialogs about playlists, above the list or the Tasks Menu's button. */
export function PlaylistDialogs({ person, onStart, onCreated, children }: PlaylistDialogsProps) {
  const [isTasksMenuOpen, setTasksMenuOpen] = useState(false)
  const [isCreating, setIsCreating] = useState(false)
  const [shownPlaylist, setShownPlaylist] = useState<Playlist>()
  const [pendingAction, setPendingAction] = useState<{ action: PlaylistAction; playlist: Playlist }>()
  const [assignee, setAssignee] = useState<Assignee>()
  const [dueDateSubject, setDueDateSubject] = useState<DueDateSubject>()
  useCommand(openPlaylist, setShownPlaylist)
  const dialogs = useMemo<PlaylistDialogsControl>(
    () => ({
      person,
      open: setShownPlaylist,
      create: () => setIsCreating(true),
      openTasks: () => setTasksMenuOpen(true),
      share: playlist => setPendingAction({ action: 'share', playlist }),
      assignTo: setAssignee,
    }),
    [person],
  )
  const startAction = (action: PlaylistAction) => (playlist: Playlist) => setPendingAction({ action, playlist })
  const endAction = () => setPendingAction(undefined)
  const subjectOf = (action: PlaylistAction) => (pendingAction?.action === action ? pendingAction.playlist : undefined)
  /** Ignores a late answer for a playlist that was closed meanwhile. */
  const updateShownPlaylist = (playlist: Playlist) =>
    setShownPlaylist(previous => (previous?.id === playlist.id ? playlist : previous))

  return (
    <DialogsContext value={dialogs}>
      {children}
      <Modal.Stack>
        <TasksMenu
          opened={isTasksMenuOpen}
          onClose={() => setTasksMenuOpen(false)}
          onAssign={startAction('assign')}
          onStart={onStart}
          hasManager={person.manager_id !== null}
          onCreate={dialogs.create}
        />
        <NewPlaylistDialog
          opened={isCreating}
          person={person}
          onClose={() => setIsCreating(false)}
          onCreated={playlist => {
            setIsCreating(false)
            setTasksMenuOpen(false)
            onCreated?.(playlist)
            setShownPlaylist(playlist)
          }}
        />
        <PlaylistDialog
          playlist={shownPlaylist}
          person={person}
          onClose={() => setShownPlaylist(undefined)}
          onAssign={startAction('assign')}
          onShare={startAction('share')}
          onEdit={startAction('edit')}
          onDelete={startAction('delete')}
          onSetDue={setDueDateSubject}
          onChanged={updateShownPlaylist}
          onStart={onStart}
        />
        <AssignDialog playlist={subjectOf('assign')} onClose={endAction} />
        <AssignPersonDialog assignee={assignee} onClose={() => setAssignee(undefined)} onCreate={dialogs.create} />
        <DueDateDialog subject={dueDateSubject} onClose={() => setDueDateSubject(undefined)} />
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
          onClose={endAction}
          onDeleted={() => {
            endAction()
            setShownPlaylist(undefined)
          }}
        />
      </Modal.Stack>
    </DialogsContext>
  )
}
