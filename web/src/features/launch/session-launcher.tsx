import { Button } from '@mantine/core'
import type { Playlist } from '@watchline/contracts/playback'
import { type ReactNode, useEffect } from 'react'
import { asFailure } from '../../api/failure.ts'
import { LoadFailed, SkeletonCard } from '../../ui/states.tsx'
import { useFindPlaylistQuery } from './launch-api.ts'
import type { SessionAddress, SessionLaunch } from './session-address.ts'

interface SessionLauncherProps {
  address: SessionAddress
  onLeave: () => void
  /** The player's screen; `null` when the playlist is not one that this person may watch. */
  children: (playlist: Playlist | null, launch: SessionLaunch | undefined) => ReactNode
}

/** Finds the playlist that an address names and hands it to the player. */
export function SessionLauncher({ address, onLeave, children }: SessionLauncherProps) {
  const { data, error, isFetching, refetch } = useFindPlaylistQuery(address.playlistId)
  useEffect(() => document.getElementById('main')?.focus({ preventScroll: true }), [])

  if (data !== undefined) return children(data, address.launch)
  if (!error) return <SkeletonCard height={480} />
  return (
    <>
      <LoadFailed
        message="The playlist could not be loaded. Please try again."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      />
      <Button variant="subtle" mt="md" onClick={onLeave}>
        Back to Dashboard
      </Button>
    </>
  )
}
