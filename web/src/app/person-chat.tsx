import type { Person } from '../api/session.ts'
import { Chat } from '../features/chat/chat.tsx'
import { useMessageChime } from '../features/notifications/sound/use-chime.ts'

/** The chat of whoever is signed in, heard as they have chosen to hear news. */
export function PersonChat({ person }: { person: Person }) {
  const ring = useMessageChime(person.id)
  return <Chat person={person} ring={ring} />
}
