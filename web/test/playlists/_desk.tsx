import type { Person } from '../../src/api/session.ts'
import { PlaylistDesk } from '../../src/features/playlists/playlist-desk.tsx'
import { PlaylistsTab } from '../../src/features/playlists/playlists-tab.tsx'
import { TasksButton } from '../../src/features/playlists/tasks-button.tsx'
import { renderScreen } from '../support/render.tsx'

/** The list of playlists and the button of the Tasks Menu, with all the dialogs they open. */
export function renderDesk(person: Person, onStart?: (playlistId: string) => void) {
  return renderScreen(
    <PlaylistDesk person={person} onStart={onStart}>
      <main id="main" tabIndex={-1}>
        <TasksButton />
        <PlaylistsTab />
      </main>
    </PlaylistDesk>,
  )
}
