import { Button } from '@mantine/core'
import { usePlaylistDesk } from './playlist-desk.tsx'

/** The way to the Tasks Menu, for the header. */
export function TasksButton() {
  const { openTasks } = usePlaylistDesk()
  return (
    <Button size="xs" variant="light" onClick={openTasks}>
      Tasks Menu
    </Button>
  )
}
