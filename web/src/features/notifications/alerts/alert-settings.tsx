import { Checkbox, Stack, Switch } from '@mantine/core'
import type { Role } from '@watchline/contracts/people'
import { useState } from 'react'
import { hasNotificationChimes } from '../sound/sound.ts'
import { SoundSwitch } from '../sound/sound-switch.tsx'
import { useSound } from '../sound/use-sound.ts'
import { type AlertChoices, type AlertKind, alertKinds } from './alert-choices.ts'
import { readBrowserPermission, requestBrowserPermission } from './browser-notification.ts'
import { useAlertChoices } from './use-alert-choices.ts'

const kindNames: Record<AlertKind, string> = { notifications: 'Notifications', messages: 'Messages' }

/** The choices of sounds and browser notifications, in the person's menu. */
export function AlertSettings({ person }: { person: { id: string; role: Role } }) {
  const { isOn } = useSound(person.id)
  return (
    <Stack gap="sm">
      <SoundSwitch person={person} />
      {isOn && hasNotificationChimes(person.role) ? (
        <KindChoices personId={person.id} list="silent" label="Play a sound for" />
      ) : null}
      <BrowserSwitch personId={person.id} />
    </Stack>
  )
}

function BrowserSwitch({ personId }: { personId: string }) {
  const { choices, setListed } = useAlertChoices(personId)
  const [permission, setPermission] = useState(readBrowserPermission)
  if (permission === 'unsupported') return null
  const isOn = permission === 'granted' && choices.browser.length > 0

  async function switchTo(shouldShow: boolean) {
    const answer = shouldShow ? await requestBrowserPermission() : permission
    setPermission(answer)
    if (!shouldShow || answer === 'granted') setListed('browser', alertKinds, shouldShow)
  }

  return (
    <>
      <Switch
        label="Browser notifications"
        description={
          permission === 'denied'
            ? 'Blocked by this browser. Allow notifications for this site in the browser’s settings, then reload.'
            : 'Show what arrives while you are in another window'
        }
        disabled={permission === 'denied'}
        checked={isOn}
        onChange={event => void switchTo(event.currentTarget.checked)}
      />
      {isOn ? <KindChoices personId={personId} list="browser" label="Show in the browser" /> : null}
    </>
  )
}

interface KindChoicesProps {
  personId: string
  /** `silent` holds the kinds that are not chosen, `browser` those that are. */
  list: keyof AlertChoices
  label: string
}

function KindChoices({ personId, list, label }: KindChoicesProps) {
  const { choices, setListed } = useAlertChoices(personId)
  const isChosen = (kind: AlertKind) => choices[list].includes(kind) === (list === 'browser')
  return (
    <fieldset style={{ margin: 0, paddingBlock: 0, paddingInline: '48px 0', border: 0 }}>
      <legend className="wl-hidden">{label}</legend>
      <Stack gap={4}>
        {alertKinds.map(kind => (
          <Checkbox
            key={kind}
            size="xs"
            label={kindNames[kind]}
            checked={isChosen(kind)}
            onChange={event => setListed(list, [kind], event.currentTarget.checked === (list === 'browser'))}
          />
        ))}
      </Stack>
    </fieldset>
  )
}
