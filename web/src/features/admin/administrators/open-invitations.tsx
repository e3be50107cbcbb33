import { Button } from '@mantine/core'
import type { AdminInvitation } from '@watchline/contracts/administrators'
import { asFailure } from '../../../api/failure.ts'
import { formatExactTime } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { PersonLine } from '../../../ui/people/person-line.tsx'
import styles from './administrators.module.css'
import { useWithdrawAdminInvitationMutation } from './administrators-api.ts'

/** Invitations that nobody has accepted yet. */
export function OpenInvitations({ invitations }: { invitations: readonly AdminInvitation[] }) {
  if (invitations.length === 0) return null
  return (
    <>
      <h3 id="open-invitations" className={styles.subtitle}>
        Open invitations
      </h3>
      <ul className={styles.list} aria-labelledby="open-invitations">
        {invitations.map(invitation => (
          <OpenInvitation key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </>
  )
}

function OpenInvitation({ invitation }: { invitation: AdminInvitation }) {
  const { id, name, email, invited_by, expires_at } = invitation
  const alerts = useAlerts()
  const [withdraw, { isLoading }] = useWithdrawAdminInvitationMutation()

  async function confirm() {
    const { data, error } = await withdraw({ params: { id } })
    if (data) alerts.succeed(`The invitation of ${name} is withdrawn`)
    else alerts.fail(`The invitation of ${name} could not be withdrawn`, asFailure(error))
  }

  return (
    <li className={styles.row}>
      <div className={styles.person}>
        <PersonLine id={id} name={name} detail={email} />
      </div>
      <p className={styles.facts}>
        Invited by {invited_by.name}
        <br />
        Valid until {formatExactTime(expires_at)}
      </p>
      <Button variant="default" onClick={confirm} loading={isLoading} aria-label={`Withdraw the invitation of ${name}`}>
        Withdraw
      </Button>
    </li>
  )
}
