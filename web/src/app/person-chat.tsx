import type { ChatRoom } from '@watchline/contracts/chat'
import type { Person } from '../api/signed-in-person.ts'
import { Chat } from '../features/chat/chat.tsx'
import { useBrowserNotification } from '../features/notifications/browser/use-browser-notification.ts'
import { useMessageChime } from '../features/notifications/sound/use-chime.ts'
import { openChat } from '../ui/frame/frame-commands.ts'

/** The signed-in person's chat, with their choice of sounds and browser notifications. */
export function PersonChat({ person }: { person: Person }) {
  const ring = useMessageChime(person.id)
  const showNotification = useBrowserNotification(person.id, 'messages')

  function reportMessages(rooms: readonly ChatRoom[]) {
    ring()
    const [room] = rooms
    const names = rooms.map(({ other }) => other.name).join(', ')
    showNotification({
      title: names ? `New message from ${names}` : 'New message',
      onOpen: () => {
        if (room) openChat.send(room)
      },
    })
  }

  return <Chat person={person} onNewMessages={reportMessages} />
}
