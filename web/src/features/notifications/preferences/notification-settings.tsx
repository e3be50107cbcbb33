import { Checkbox, Stack, Switch } from '@mantine/core'
import type { Role } from '@watchline/contracts/people'
import { useState } from 'react'
import { readBrowserPermission, requestBrowserPermission } from '../browser/browser-notification.ts'
import { hasNotificationChimes } from '../sound/sound.ts'
import { SoundSwitch } from '../sound/sound-switch.tsx'
import { useSound } from '../sound/use-sound.ts'
import {
  type NotificationCategory,
  type NotificationPreferences,
  notificationCategories,
} from './notification-preferences.ts'
import { useNotificationPreferences } from './use-notification-preferences.ts'

const categoryNames: Record<NotificationCategory, string> = { notifications: 'Notifications', messages: 'Messages' }

/** The choices of sounds and browser notifications, in the person's menu. */
export function NotificationSettings({ person }: { person: { id: string; role: Role } }) {
  const { isOn } = useSound(person.id)
  return (
    <Stack gap="sm">
      <SoundSwitch person={person} />
      {isOn && hasNotificationChimes(person.role) ? (
        <CategoryChoices personId={person.id} list="silent" label="Play a sound for" />
      ) : null}
      <BrowserSwitch personId={person.id} />
    </Stack>
  )
}

function BrowserSwitch({ personId }: { personId: string }) {
  const { preferences, setListed } = useNotificationPreferences(personId)
  const [permission, setPermission] = useState(readBrowserPermission)
  if (permission === 'unsupported') return null
  const isOn = permission === 'granted' && preferences.browser.length > 0

  async function switchTo(shouldShow: boolean) {
    const answer = shouldShow ? await requestBrowserPermission() : permission
    setPermission(answer)
    if (!shouldShow || answer === 'granted') setListed('browser', notificationCategories, shouldShow)
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
      {isOn ? <CategoryChoices personId={personId} list="browser" label="Show in the browser" /> : null}
    </>
  )
}

interface CategoryChoicesProps {
  personId: string
  /** `silent` holds the categories that are not chosen, `browser` those that are. */
  list: keyof NotificationPreferences
  label: string
}

function CategoryChoices({ personId, list, label }: CategoryChoicesProps) {
  const { preferences, setListed } = useNotificationPreferences(personId)
  const isChosen = (category: NotificationCategory) => preferences[list].includes(category) === (list === 'browser')
  return (
    <fieldset style={{ margin: 0, paddingBlock: 0, paddingInline: '48px 0', border: 0 }}>
      <legend className="wl-hidden">{label}</legend>
      <Stack gap={8}>
        {notificationCategories.map(category => (
          <Checkbox
            key={category}
            size="xs"
            label={categoryNames[category]}
            checked={isChosen(category)}
            onChange={event => setListed(list, [category], event.currentTarget.checked === (list === 'browser'))}
          />
        ))}
      </Stack>
    </fieldset>
  )
}
