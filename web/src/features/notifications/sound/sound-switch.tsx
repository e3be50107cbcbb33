import { Switch } from '@mantine/core'
import type { Role } from '@watchline/contracts/people'
import { hasNotificationChimes } from './sound.ts'
import { useSound } from './use-sound.ts'

/** Switches chimes on or off, in the person's menu. */
export function SoundSwitch({ person: { id, role } }: { person: { id: string; role: Role } }) {
  const { isOn, setSound } = useSound(id)
  return (
    <Switch
      label="Sound"
      description={`A chime when ${hasNotificationChimes(role) ? 'notifications or messages' : 'messages'} arrive`}
      checked={isOn}
      onChange={event => setSound(event.currentTarget.checked)}
    />
  )
}
