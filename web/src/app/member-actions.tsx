import { Button } from '@mantine/core'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import type { Person } from '../api/signed-in-person.ts'
import { usePlaylistDialogs } from '../features/playlists/playlist-dialogs.tsx'
import { mayAssign } from '../features/playlists/rights.ts'
import { useRemind } from '../features/reminders/use-remind.ts'
import { openChat } from '../ui/frame-commands.ts'

interface MemberActionsProps {
  person: Person
  member: MemberAnalytics
  /** Closes the panel, because the chat and the dialog open beside it. */
  onLeave: () => void
}

/** The next steps with a member: a message from their supervisor, a reminder, and another task. */
export function MemberActions({ person, member, onLeave }: MemberActionsProps) {
  const { assignTo } = usePlaylistDialogs()
  const { remind, isReminding } = useRemind()
  const { user_id: id, name, email, picture } = member

  function message() {
    onLeave()
    openChat.send({ other: { id, name, email, picture, role: 'user' }, chat_type: 'user_supervisor' })
  }

  function assign() {
    onLeave()
    assignTo({ id, name })
  }

  return (
    <>
      {member.supervisor_id === person.id ? (
        <Button variant="default" onClick={message}>
          Message
        </Button>
      ) : null}
      {mayAssign(person) ? (
        <>
          <Button variant="default" loading={isReminding} onClick={() => remind([{ id, name }])}>
            Remind
          </Button>
          <Button variant="default" aria-haspopup="dialog" onClick={assign}>
            Assign
          </Button>
        </>
      ) : null}
    </>
  )
}
