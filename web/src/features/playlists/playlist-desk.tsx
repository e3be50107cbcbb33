import { Modal } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import type { Person } from '../../api/session.ts'
import { AssignDialog } from './assign-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { NewPlaylistDialog } from './new-playlist-dialog.tsx'
import { PlaylistDialog } from './playlist-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { TasksMenu } from './tasks-menu.tsx'
import { UnassignDialog } from './unassign-dialog.tsx'

/** What the screens above the dialogs can ask for. */
export interface PlaylistDesk {
  person: Person
  open: (playlist: Playlist) => void
  create: () => void
  openTasks: () => void
}

const DeskContext = createContext<PlaylistDesk | undefined>(undefined)

export function usePlaylistDesk(): PlaylistDesk {
  const desk = useContext(DeskContext)
  if (!desk) throw new Error('usePlaylistDesk needs a PlaylistDesk above')
  return desk
}

interface PlaylistDeskProps {
  person: Person
  /** Opens the monitoring session of a playlist. */
  onStart?: (playlistId: string) => void
  /** A playlist is there: the screen may go where the list is; the desk opens the playlist itself. */
  onCreated?: (playlist: Playlist) => void
  children: ReactNode
}

/** What is done with a playlist, in a dialog that lies over the open playlist or the list. */
type Doing = 'assign' | 'share' | 'edit' | 'delete'

/** All that is done with playlists, in dialogs over whatever is inside: the list, the Tasks Menu's button. */
export function PlaylistDesk({ person, onStart, onCreated, children }: PlaylistDeskProps) {
  const [tasksOpen, setTasksOpen] = useState(false)
  const [creating, setCreating] = useState(false)
  const [shown, setShown] = useState<Playlist>()
  const [doing, setDoing] = useState<{ what: Doing; playlist: Playlist }>()
  const [unassigning, setUnassigning] = useState<{ playlist: Playlist; member: User }>()
  const desk = useMemo<PlaylistDesk>(
    () => ({
      person,
      open: setShown,
      create: () => setCreating(true),
      openTasks: () => setTasksOpen(true),
    }),
    [person],
  )
  const begin = (what: Doing) => (playlist: Playlist) => setDoing({ what, playlist })
  const end = () => setDoing(undefined)
  const subjectOf = (what: Doing) => (doing?.what === what ? doing.playlist : undefined)
  /** An answer that comes late opens nothing that was closed meanwhile. */
  const update = (playlist: Playlist) => setShown(before => (before?.id === playlist.id ? playlist : before))

  return (
    <DeskContext value={desk}>
      {children}
      <Modal.Stack>
        <TasksMenu
          opened={tasksOpen}
          onClose={() => setTasksOpen(false)}
          onAssign={begin('assign')}
          onStart={onStart}
          managed={person.manager_id !== null}
          onCreate={desk.create}
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
          onAssign={begin('assign')}
          onUnassign={(playlist, member) => setUnassigning({ playlist, member })}
          onShare={begin('share')}
          onEdit={begin('edit')}
          onDelete={begin('delete')}
          onChanged={update}
          onStart={onStart}
        />
        <AssignDialog playlist={subjectOf('assign')} onClose={end} />
        <UnassignDialog subject={unassigning} onClose={() => setUnassigning(undefined)} />
        <ShareDialog playlist={subjectOf('share')} onClose={end} onShared={update} />
        <EditDialog
          playlist={subjectOf('edit')}
          person={person}
          onClose={end}
          onSaved={playlist => {
            end()
            update(playlist)
          }}
        />
        <DeleteDialog
          playlist={subjectOf('delete')}
          onClose={end}
          onDeleted={() => {
            end()
            setShown(undefined)
          }}
        />
      </Modal.Stack>
    </DeskContext>
  )
}
