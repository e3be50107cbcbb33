import { Button } from '@mantine/core'
import { usePlaylistDialogs } from '../playlist-dialogs.tsx'

/** Opens the Tasks Menu, in the header. */
export function TasksButton() {
  const { openTasks } = usePlaylistDialogs()
  return (
    <Button size="xs" variant="light" onClick={openTasks}>
      Tasks Menu
    </Button>
  )
}
