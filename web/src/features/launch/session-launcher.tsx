import { Button } from '@mantine/core'
import type { WatchablePlaylist } from '@watchline/contracts/playlists'
import { type ReactNode, useEffect, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { EmptyState, LoadFailed, SkeletonCard } from '../../ui/feedback/states.tsx'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import { useFindPlaylistQuery } from './launch-api.ts'
import type { SessionAddress, SessionLaunch } from './session-address.ts'

interface SessionLauncherProps {
  address: SessionAddress
  /** A member of staff, who may open a playlist by link without having it assigned. */
  staff: boolean
  onLeave: () => void
  /**
   * Renders the player; `null` if the person may not watch the playlist. `reload` ends this player,
   * loads the playlist again and renders another one.
   */
  children: (playlist: WatchablePlaylist | null, launch: SessionLaunch | undefined, reload: () => void) => ReactNode
}

/** Loads the playlist that the address names and passes it to the player. */
export function SessionLauncher({ address, staff, onLeave, children }: SessionLauncherProps) {
  const { data, error, isFetching, refetch } = useFindPlaylistQuery(address.playlistId)
  const [reloading, setReloading] = useState<'never' | 'now' | 'done'>('never')
  const isLoaded = data !== undefined && reloading !== 'now'
  useEffect(() => document.getElementById('main')?.focus({ preventScroll: true }), [])

  async function reload() {
    setReloading('now')
    const { isError } = await refetch()
    if (!isError) setReloading('done')
  }

  if (isLoaded && data === null && staff) return <NotAllowed address={address} onLeave={onLeave} />
  // The link has been followed already: the session continues where the person stopped.
  if (isLoaded) return children(data, reloading === 'done' ? undefined : address.launch, () => void reload())
  if (!error) return <SkeletonCard height={480} />
  return (
    <>
      <LoadFailed
        message="Couldn’t load the playlist."
        failure={asFailure(error)}
        onRetry={reloading === 'never' ? refetch : () => void reload()}
        retrying={isFetching}
      />
      <Button variant="subtle" mt="md" onClick={onLeave}>
        Back to Dashboard
      </Button>
    </>
  )
}

function NotAllowed({ address, onLeave }: Pick<SessionLauncherProps, 'address' | 'onLeave'>) {
  return (
    <>
      <ScreenTitle name="Monitoring session" />
      <h1 className="wl-hidden">Monitoring session</h1>
      <EmptyState
        title="This playlist is not yours to watch"
        action={
          <Button mt="sm" onClick={onLeave}>
            Back to Dashboard
          </Button>
        }
      >
        {address.launch?.notificationAction === 'approved' ? 'Your answer has been sent. ' : ''}
        The playlist belongs to somebody else and is not shared with you, or it no longer exists. Ask its owner to share
        it with you, then open it again.
      </EmptyState>
    </>
  )
}
