import { Button } from '@mantine/core'
import type { Person } from '../../api/signed-in-person.ts'
import { openChat } from '../../ui/frame/frame-commands.ts'
import { PersonLine } from '../../ui/people/person-line.tsx'
import styles from './trainee.module.css'

/** The trainee's supervisor, with a message to them. Without one it renders nothing. */
export function OwnSupervisor({ person: { supervisor } }: { person: Person }) {
  if (!supervisor) return null
  return (
    <section className={styles.supervisor} aria-label="Your supervisor">
      <PersonLine id={supervisor.id} name={supervisor.name} detail="Your supervisor" picture={supervisor.picture} />
      <Button
        variant="default"
        size="xs"
        onClick={() => openChat.send({ other: { ...supervisor, role: 'supervisor' }, chat_type: 'user_supervisor' })}
      >
        Message
      </Button>
    </section>
  )
}
