import { Modal } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playback'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import type { Person } from '../../api/session.ts'
import { AssignDialog } from './assign-dialog.tsx'
import { NewPlaylistDialog } from './new-playlist-dialog.tsx'
import { PlaylistDialog } from './playlist-dialog.tsx'
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
  /** Where the new playlist can be seen is opened; the desk shows the playlist itself. */
  onCreated?: (playlist: Playlist) => void
  children: ReactNode
}

/** All that is done with playlists, in dialogs over whatever is inside: the list, the Tasks Menu's button. */
export function PlaylistDesk({ person, onStart, onCreated, children }: PlaylistDeskProps) {
  const [tasksOpen, setTasksOpen] = useState(false)
  const [creating, setCreating] = useState(false)
  const [shown, setShown] = useState<Playlist>()
  const [assigning, setAssigning] = useState<Playlist>()
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
  return (
    <DeskContext value={desk}>
      {children}
      <Modal.Stack>
        <TasksMenu
          opened={tasksOpen}
          onClose={() => setTasksOpen(false)}
          onAssign={setAssigning}
          onStart={onStart}
          managed={person.manager_id !== null}
          onCreate={desk.create}
        />
        <NewPlaylistDialog
          opened={creating}
          personId={person.id}
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
          onClose={() => setShown(undefined)}
          onAssign={setAssigning}
          onUnassign={(playlist, member) => setUnassigning({ playlist, member })}
          onStart={onStart}
        />
        <AssignDialog playlist={assigning} onClose={() => setAssigning(undefined)} />
        <UnassignDialog subject={unassigning} onClose={() => setUnassigning(undefined)} />
      </Modal.Stack>
    </DeskContext>
  )
}
