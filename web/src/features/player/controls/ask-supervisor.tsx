import { Button } from '@mantine/core'
import { openChat } from '../../../ui/frame/frame-commands.ts'
import type { SessionPerson } from '../session-playlist.ts'

interface AskSupervisorProps {
  person: SessionPerson
  /** The problem, as a sentence to the supervisor. */
  problem: string
}

/** Opens the chat with the trainee's supervisor and a prepared text. The trainee sends it. */
export function AskSupervisor({ person: { supervisor }, problem }: AskSupervisorProps) {
  if (!supervisor) return null
  return (
    <Button
      variant="default"
      onClick={() =>
        openChat.send({
          other: { ...supervisor, role: 'supervisor' },
          chat_type: 'user_supervisor',
          draft: `${problem} Can you help me?`,
        })
      }
    >
      Tell my supervisor
    </Button>
  )
}
