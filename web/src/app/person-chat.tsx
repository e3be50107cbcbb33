import type { Person } from '../api/signed-in-person.ts'
import { Chat } from '../features/chat/chat.tsx'
import { useMessageChime } from '../features/notifications/sound/use-chime.ts'

/** The signed-in person's chat, with their choice of sounds. */
export function PersonChat({ person }: { person: Person }) {
  const ring = useMessageChime(person.id)
  return <Chat person={person} ring={ring} />
}
