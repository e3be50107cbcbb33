import type { Role } from '@watchline/contracts/people'
import { useEffect, useRef, useState } from 'react'
import { useDispatch } from 'react-redux'
import { useNavigate, useSearchParams } from 'react-router'
import { gateway } from '../api/gateway.ts'
import type { Person } from '../api/signed-in-person.ts'
import { type SessionBegin, sessionAddressOf, withoutSession } from '../features/launch/session-address.ts'
import { SessionLauncher } from '../features/launch/session-launcher.tsx'
import { reportMonitoringEnd } from '../features/player/session/report-monitoring-end.ts'
import { loadable } from '../ui/feedback/loadable.tsx'
import { SkeletonCard } from '../ui/feedback/states.tsx'
import { startSession, useCommand } from '../ui/frame/frame-commands.ts'
import { ScreenTitle } from '../ui/frame/screen-title.tsx'
import { type DashboardRole, roleViews } from './role-views.ts'

const SessionScreen = loadable(
  () => import('./session-screen.tsx').then(module => module.SessionScreen),
  <SkeletonCard />,
)
const SupervisedSession = loadable(
  () => import('./session-with-team.tsx').then(module => module.SessionWithTeam),
  <SkeletonCard />,
)

/** Staff keep seeing their team while they watch a playlist. */
const supervisingRoles: ReadonlySet<Role> = new Set<Role>(['supervisor', 'director'])

/**
 * The view of a person's role, or the monitored session that the address names. Only the address
 * decides, so a reload returns to the session.
 */
export function Dashboard({ person }: { person: Person & { role: DashboardRole } }) {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const dispatch = useDispatch()
  const address = sessionAddressOf(params)
  const inSession = address !== undefined
  // In memory only: a reload, and a way through the browser's history, are no press of a button.
  const [begin, setBegin] = useState<SessionBegin>()
  useFocusOnReturn(inSession)
  useEffect(() => {
    if (!inSession) setBegin(undefined)
  }, [inSession])

  function openAddress(session: string | undefined, replace: boolean) {
    const next = withoutSession(params)
    if (session) next.set('session', session)
    const query = next.toString()
    navigate(query ? `/dashboard?${query}` : '/dashboard', { replace })
  }

  function leaveSession() {
    dispatch(gateway.util.invalidateTags(['Today', 'Online', 'Playlists', 'Tasks', 'Engagement']))
    openAddress(undefined, true)
  }

  function completeSession(playlistId: string | undefined) {
    if (playlistId) void reportMonitoringEnd(playlistId)
    leaveSession()
  }

  function startByButton(playlistId: string, pressed: SessionBegin = 'continue') {
    setBegin(pressed)
    openAddress(playlistId, false)
  }
  useCommand(startSession, playlistId => startByButton(playlistId))

  if (address) {
    const Screen = supervisingRoles.has(person.role) ? SupervisedSession : SessionScreen
    return (
      <SessionLauncher
        key={JSON.stringify(address)}
        address={address}
        staff={person.role !== 'user'}
        onLeave={leaveSession}
      >
        {(playlist, launch, reload) => (
          <>
            <ScreenTitle name={playlist?.title ?? 'Monitoring session'} />
            <Screen
              playlist={playlist}
              person={person}
              launch={launch}
              begin={begin}
              backLabel={person.role === 'user' ? undefined : 'Exit'}
              onBack={leaveSession}
              onReload={() => {
                setBegin('continue')
                reload()
              }}
              onComplete={() => completeSession(playlist?.id)}
            />
          </>
        )}
      </SessionLauncher>
    )
  }
  const View = roleViews[person.role]
  return <View person={person} onStart={startByButton} />
}

/** After a session, keyboard and screen reader start at the dashboard's content. */
function useFocusOnReturn(inSession: boolean): void {
  const wasInSession = useRef(inSession)
  useEffect(() => {
    if (wasInSession.current && !inSession) document.getElementById('main')?.focus({ preventScroll: true })
    wasInSession.current = inSession
  }, [inSession])
}
