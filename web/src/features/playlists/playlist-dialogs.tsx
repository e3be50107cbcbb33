import { Modal } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import type { Person } from '../../api/session.ts'
import { AssignDialog } from './assign/assign-dialog.tsx'
import { UnassignDialog } from './assign/unassign-dialog.tsx'
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
  const [tasksOpen, setTasksOpen] = useState(false)
  const [creating, setCreating] = useState(false)
  const [shown, setShown] = useState<Playlist>()
  const [activity, setActivity] = useState<{ action: PlaylistAction; playlist: Playlist }>()
  const [unassigning, setUnassigning] = useState<{ playlist: Playlist; member: User }>()
  const dialogs = useMemo<PlaylistDialogsControl>(
    () => ({
      person,
      open: setShown,
      create: () => setCreating(true),
      openTasks: () => setTasksOpen(true),
    }),
    [person],
  )
  const startAction = (action: PlaylistAction) => (playlist: Playlist) => setActivity({ action, playlist })
  const endAction = () => setActivity(undefined)
  const subjectOf = (action: PlaylistAction) => (activity?.action === action ? activity.playlist : undefined)
  /** Ignores a late answer for a playlist that was closed meanwhile. */
  const update = (playlist: Playlist) => setShown(before => (before?.id === playlist.id ? playlist : before))

  return (
    <DialogsContext value={dialogs}>
      {children}
      <Modal.Stack>
        <TasksMenu
          opened={tasksOpen}
          onClose={() => setTasksOpen(false)}
          onAssign={startAction('assign')}
          onStart={onStart}
          managed={person.manager_id !== null}
          onCreate={dialogs.create}
        />
        <NewPlaylistDialog
          opened={creating}
          person={person}
          onClose={() => setCreating(false)}
          onCreated={playlist => {
            setCreating(false)
            setTasksOpen(false)
            onCreated?.(playlist)
            setShown(playlist)
          }}
        />
        <PlaylistDialog
          playlist={shown}
          person={person}
          onClose={() => setShown(undefined)}
          onAssign={startAction('assign')}
          onUnassign={(playlist, member) => setUnassigning({ playlist, member })}
          onShare={startAction('share')}
          onEdit={startAction('edit')}
          onDelete={startAction('delete')}
          onChanged={update}
          onStart={onStart}
        />
        <AssignDialog playlist={subjectOf('assign')} onClose={endAction} />
        <UnassignDialog subject={unassigning} onClose={() => setUnassigning(undefined)} />
        <ShareDialog playlist={subjectOf('share')} onClose={endAction} onShared={update} />
        <EditDialog
          playlist={subjectOf('edit')}
          person={person}
          onClose={endAction}
          onSaved={playlist => {
            endAction()
            update(playlist)
          }}
        />
        <DeleteDialog
          playlist={subjectOf('delete')}
          onClose={endAction}
          onDeleted={() => {
            endAction()
            setShown(undefined)
          }}
        />
      </Modal.Stack>
    </DialogsContext>
  )
}
