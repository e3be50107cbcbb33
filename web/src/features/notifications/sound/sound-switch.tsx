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
      description={`Play a sound for new ${hasNotificationChimes(role) ? 'notifications and messages' : 'messages'}`}
      checked={isOn}
      onChange={event => setSound(event.currentTarget.checked)}
    />
  )
}
