import type { Playlist } from '@watchline/contracts/playlists'
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import type { Person } from '../../api/signed-in-person.ts'
import { loadable } from '../../ui/feedback/loadable.tsx'
import { OnceOpened } from '../../ui/feedback/once-opened.tsx'
import { createPlaylist, openPlaylist, openTasksMenu, useCommand } from '../../ui/frame/frame-commands.ts'
import type { Assignee } from './assign/assign-person-dialog.tsx'
import type { ChangeDialogs, ShownDialogs } from './open-dialogs.tsx'

// The dialogs are most of the code about playlists, and no screen starts with one.
const OpenDialogs = loadable(() => import('./open-dialogs.tsx').then(module => module.OpenDialogs))

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
  /** Opens the monitored session of a playlist. */
  onStart?: (playlistId: string) => void
  /** Lets the screen navigate to the list. The dialogs open the new playlist themselves. */
  onCreated?: (playlist: Playlist) => void
  children: ReactNode
}

/** All dialogs about playlists, above the list or the Tasks Menu's button. */
export function PlaylistDialogs({ person, onStart, onCreated, children }: PlaylistDialogsProps) {
  const [shown, setShown] = useState<ShownDialogs>({})
  const change = useCallback<ChangeDialogs>(
    changes =>
      setShown(previous => ({ ...previous, ...(typeof changes === 'function' ? changes(previous) : changes) })),
    [],
  )
  useCommand(openPlaylist, playlist => change({ playlist }))
  useCommand(openTasksMenu, () => change({ isTasksMenuOpen: true }))
  useCommand(createPlaylist, () => change({ isCreating: true }))
  const dialogs = useMemo<PlaylistDialogsControl>(
    () => ({
      person,
      open: playlist => change({ playlist }),
      create: () => change({ isCreating: true }),
      openTasks: () => change({ isTasksMenuOpen: true }),
      share: playlist => change({ pendingAction: { action: 'share', playlist } }),
      assignTo: assignee => change({ assignee }),
    }),
    [person, change],
  )
  return (
    <DialogsContext value={dialogs}>
      {children}
      <OnceOpened opened={Object.values(shown).some(Boolean)}>
        <OpenDialogs person={person} shown={shown} onChange={change} onStart={onStart} onCreated={onCreated} />
      </OnceOpened>
    </DialogsContext>
  )
}
