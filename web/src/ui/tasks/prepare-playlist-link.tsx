import { Button } from '@mantine/core'
import { Link } from 'react-router'

/**
 * The first step on a leader's screens that have nobody to show yet. Each dashboard has this tab.
 */
export function PreparePlaylistLink() {
  return (
    <Button component={Link} to="?tab=playlists" variant="default">
      Prepare a playlist
    </Button>
  )
}
