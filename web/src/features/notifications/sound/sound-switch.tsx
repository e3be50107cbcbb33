import { Switch } from '@mantine/core'
import type { Role } from '@watchline/contracts/people'
import { hearsChimes } from './sound.ts'
import { useSound } from './use-sound.ts'

/** In the person's menu: whether news may be heard. */
export function SoundSwitch({ person: { id, role } }: { person: { id: string; role: Role } }) {
  const { on, switchTo } = useSound(id)
  return (
    <Switch
      label="Sound"
      description={`A chime when ${hearsChimes(role) ? 'notifications or messages' : 'messages'} arrive`}
      checked={on}
      onChange={event => switchTo(event.currentTarget.checked)}
    />
  )
}
