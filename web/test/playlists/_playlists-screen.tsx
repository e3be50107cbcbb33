import type { Person } from '../../src/api/signed-in-person.ts'
import { PlaylistsTab } from '../../src/features/playlists/list/playlists-tab.tsx'
import { TasksButton } from '../../src/features/playlists/list/tasks-button.tsx'
import { PlaylistDialogs } from '../../src/features/playlists/playlist-dialogs.tsx'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { renderScreen } from '../support/render.tsx'

/** The list of playlists and the button of the Tasks Menu, with all the dialogs they open. */
export function renderPlaylistsScreen(person: Person, onStart?: (playlistId: string) => void) {
  return renderScreen(
    <ChoiceOwner value={person.id}>
      <PlaylistDialogs person={person} onStart={onStart}>
        <main id="main" tabIndex={-1}>
          <TasksButton />
          <PlaylistsTab />
        </main>
      </PlaylistDialogs>
    </ChoiceOwner>,
  )
}
