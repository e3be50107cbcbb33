import { useLayoutEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { formatCount } from '../ui/dates/format.ts'
import { useAlerts } from '../ui/feedback/alerts.tsx'

/** Notifies a person once that their sign-in has ended their other sessions. */
export function EndedSessionsNotice() {
  const alerts = useAlerts()
  const navigate = useNavigate()
  const location = useLocation()
  const { endedSessions } = (location.state ?? {}) as { endedSessions?: number }

  // A passive effect may run after a click that has changed the address, and would undo that.
  useLayoutEffect(() => {
    if (endedSessions === undefined) return
    const count = formatCount(endedSessions, 'other session')
    alerts.succeed('You are signed in here', `${count} of yours ${endedSessions === 1 ? 'was' : 'were'} ended.`)
    navigate({ search: location.search, hash: location.hash }, { replace: true, state: null })
  }, [endedSessions, alerts, navigate, location.search, location.hash])
  return null
}
