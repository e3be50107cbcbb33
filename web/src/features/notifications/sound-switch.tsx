import { Switch } from '@mantine/core'
import { useSound } from './use-sound.ts'

/** In the person's menu: whether news may be heard. */
export function SoundSwitch({ personId }: { personId: string }) {
  const { on, switchTo } = useSound(personId)
  return (
    <Switch
      label="Sound"
      description="A chime when notifications arrive"
      checked={on}
      onChange={event => switchTo(event.currentTarget.checked)}
    />
  )
}
