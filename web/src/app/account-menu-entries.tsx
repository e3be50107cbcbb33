import { Button, Stack } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import type { Person } from '../api/signed-in-person.ts'
import { sessionAddressOf } from '../features/launch/session-address.ts'
import { MailChoices } from '../features/notifications/mail/mail-choices.tsx'
import { NotificationSettings } from '../features/notifications/preferences/notification-settings.tsx'
import { openIntroduction } from '../ui/frame/frame-commands.ts'
import { privacyAddress } from '../ui/frame/privacy-address.ts'
import { isOwnRecord, ownRecordAddress } from './own-record-address.ts'

interface AccountMenuEntriesProps {
  person: Person
  /** Closes the menu. */
  onLeave: () => void
}

/** The entries of the person's menu: sounds, notifications and mails, their own record, help. */
export function AccountMenuEntries({ person, onLeave }: AccountMenuEntriesProps) {
  const [params] = useSearchParams()
  const isDashboard = !isOwnRecord(params) && !sessionAddressOf(params)

  function showIntroduction() {
    onLeave()
    openIntroduction.send()
  }

  return (
    <>
      <NotificationSettings person={person} />
      <MailChoices person={person} />
      <Stack gap={4}>
        <Button
          component={Link}
          to={ownRecordAddress(person)}
          variant="subtle"
          justify="start"
          px={0}
          size="compact-md"
          onClick={onLeave}
        >
          What is recorded about me
        </Button>
        <Button
          component={Link}
          to={privacyAddress}
          variant="subtle"
          justify="start"
          px={0}
          size="compact-md"
          onClick={onLeave}
        >
          Privacy
        </Button>
        {isDashboard ? (
          <Button variant="subtle" justify="start" px={0} size="compact-md" onClick={showIntroduction}>
            About this screen
          </Button>
        ) : null}
      </Stack>
    </>
  )
}
