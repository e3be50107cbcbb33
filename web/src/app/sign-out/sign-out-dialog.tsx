import { Button, Group } from '@mantine/core'
import { StackedDialog } from '../../ui/controls/stacked-dialog.tsx'
import { formatCount } from '../../ui/dates/format.ts'
import type { SignOutQuestion } from './use-sign-out.ts'

interface SignOutDialogProps {
  question: SignOutQuestion | undefined
  isSigningOut: boolean
  onSignOut: (reason: SignOutQuestion['reason']) => void
  onStay: () => void
}

/** Asks a person whose session is under way, or whose work is not sent yet. */
export function SignOutDialog({ question, isSigningOut, onSignOut, onStay }: SignOutDialogProps) {
  const isUnsent = question?.reason === 'unsent'
  return (
    <StackedDialog name="sign-out" opened={question !== undefined} onClose={onStay} title="Sign out now?">
      <p>
        {isUnsent
          ? describeUnsent(question.count)
          : 'Your monitored session is running and will end. Your progress is saved.'}
      </p>
      <Group>
        <Button loading={isSigningOut} onClick={() => question && onSignOut(question.reason)}>
          {isUnsent ? 'Sign out anyway' : 'End session and sign out'}
        </Button>
        <Button variant="default" disabled={isSigningOut} onClick={onStay} data-autofocus>
          {isUnsent ? 'Stay signed in' : 'Keep watching'}
        </Button>
      </Group>
    </StackedDialog>
  )
}

function describeUnsent(count: number): string {
  const staying = count === 1 ? 'It stays in this browser, and is sent' : 'They stay in this browser, and are sent'
  return `${formatCount(count, 'entry', 'entries')} could not be sent to the server: messages, comments or watched time. ${staying} when you sign in here again.`
}
