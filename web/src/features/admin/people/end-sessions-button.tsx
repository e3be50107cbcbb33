import { Button } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import { asFailure } from '../../../api/failure.ts'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useEndSessionsOfUserMutation } from '../admin-api.ts'

interface EndSessionsButtonProps {
  person: Pick<User, 'id' | 'name'>
  /** A list has several of these buttons, so the accessible name includes the person's name. */
  isInList?: boolean
}

/** Ends all sign-ins of a person, for instance after a device was lost. They can sign in again. */
export function EndSessionsButton({ person: { id, name }, isInList }: EndSessionsButtonProps) {
  const alerts = useAlerts()
  const [endSessions, call] = useEndSessionsOfUserMutation()

  async function signOut() {
    const { data, error } = await endSessions({ params: { id } })
    if (!data) alerts.fail(`${name} could not be signed out`, asFailure(error))
    else if (data.ended_sessions === 0) alerts.succeed(`${name} was not signed in`)
    else alerts.succeed(`${name} is signed out: ${formatCount(data.ended_sessions, 'session')} ended`)
  }

  return (
    <Button
      variant="default"
      onClick={signOut}
      loading={call.isLoading}
      aria-label={isInList ? `Sign out everywhere: ${name}` : undefined}
    >
      Sign out everywhere
    </Button>
  )
}
