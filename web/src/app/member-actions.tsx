import { Button } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import type { Person } from '../api/signed-in-person.ts'
import { findLatestGap } from '../features/analytics/latest-gap.ts'
import type { MemberDetail } from '../features/analytics/member-drawer.tsx'
import { viewAddressOf } from '../features/launch/session-address.ts'
import { usePlaylistDialogs } from '../features/playlists/playlist-dialogs.tsx'
import { mayAssign } from '../features/playlists/rights.ts'
import { useRemind } from '../features/reminders/use-remind.ts'
import { formatPosition } from '../ui/dates/format.ts'
import { openChat } from '../ui/frame/frame-commands.ts'

interface MemberActionsProps {
  person: Person
  detail: MemberDetail
  /** Closes the panel, because the chat and the dialog open beside it. */
  onLeave: () => void
}

/**
 * The next steps with a member: a message from their supervisor, a reminder, another task, and the
 * video from where their first gap begins.
 */
export function MemberActions({ person, detail: { member, playlists }, onLeave }: MemberActionsProps) {
  const { assignTo } = usePlaylistDialogs()
  const { remind, isReminding } = useRemind()
  const { user_id: id, name, email, picture } = member
  const [params] = useSearchParams()
  const gap = findLatestGap(playlists)

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
      {gap ? (
        <Button
          variant="default"
          component={Link}
          to={viewAddressOf(params, gap)}
          title={`“${gap.videoTitle}” from ${formatPosition(gap.seconds)}`}
        >
          Play at the gap
        </Button>
      ) : null}
    </>
  )
}
