import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { readNotification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import { gateway } from '../../src/api/gateway.ts'
import { NotificationBell } from '../../src/features/notifications/bell/notification-bell.tsx'
import { SoundSwitch } from '../../src/features/notifications/sound/sound-switch.tsx'
import { useMessageChime, useTeamPanelChime } from '../../src/features/notifications/sound/use-chime.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aNotification } from '../support/notifications.ts'
import { aUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'
import { fakeAudio } from './_fake-audio.ts'
import { mailbox } from './_mailbox.ts'

const api = fakeApi()
const user = userEvent.setup()
const box = mailbox(api)
let audio: ReturnType<typeof fakeAudio>

beforeEach(() => {
  audio = fakeAudio()
  setXsrfCookie('there')
  box.holds(aNotification())
  box.answer()
})
afterEach(() => {
  cleanup()
  audio.restore()
})

function TeamPanel() {
  useTeamPanelChime()
  return <p>the team</p>
}

function Messages({ id }: { id: string }) {
  const ring = useMessageChime(id)
  return (
    <button type="button" onClick={ring}>
      a message arrives
    </button>
  )
}

interface Shown {
  role?: Exclude<Role, 'admin'>
  id?: string
  panel?: boolean
  /** Whether the page has been touched. */
  touched?: boolean
}

async function show({ role = 'supervisor', id = 'supervisor1', panel = false, touched = true }: Shown = {}) {
  const { store } = renderScreen(
    <>
      <NotificationBell person={{ ...aUser({ id, name: 'Supervisor One' }), role }} />
      <SoundSwitch person={{ id, role }} />
      {panel ? <TeamPanel /> : null}
      <button type="button">anything</button>
    </>,
  )
  await unread(1)
  if (touched) await user.click(screen.getByRole('button', { name: 'anything' }))
  const refresh = () => store.dispatch(gateway.util.invalidateTags(['Notifications']))
  return {
    refresh,
    /** One more comes, as polling finds it. */
    async comes(count: number) {
      box.comes(aNotification())
      refresh()
      await unread(count)
    },
  }
}

const unread = (count: number) => screen.findByRole('button', { name: new RegExp(`^Notifications, ${count} unread`) })
const tones = (count: number) => waitFor(() => expect(audio.scheduled).toHaveLength(count))
/** Lets what waits for settled promises run. */
const settle = () => new Promise(resolve => setTimeout(resolve, 5))

async function silence() {
  await settle()
  expect(audio.scheduled).toEqual([])
}

describe('news', () => {
  test('ring two tones on a supervisor’s dashboard, not at the first answer', async () => {
    const page = await show()
    await silence()
    await page.comes(2)
    await tones(2)
  })

  test('ring three rising tones while the team panel is shown, and not both', async () => {
    const page = await show({ panel: true })
    await page.comes(2)
    await tones(3)
    audio.end()
    await settle()
    expect(audio.scheduled).toHaveLength(3)
  })

  test('ring for a director in the team panel alone', async () => {
    const page = await show({ role: 'director' })
    await page.comes(2)
    await silence()
    cleanup()
    box.holds(aNotification())
    await (await show({ role: 'director', panel: true })).comes(2)
    await tones(3)
  })

  test.each(['user', 'manager'] as const)('are silent for a %s', async role => {
    const page = await show({ role })
    await page.comes(2)
    await silence()
  })

  test('are silent on a page nobody has touched, also once somebody does', async () => {
    const page = await show({ touched: false })
    await page.comes(2)
    await user.click(screen.getByRole('button', { name: 'anything' }))
    await silence()
  })

  test('that were there before ring no second time when the count comes back', async () => {
    const page = await show()
    box.change(() => true, { is_read: true })
    page.refresh()
    await unread(0)
    box.change(() => true, { is_read: false })
    page.refresh()
    await unread(1)
    await silence()
  })

  test('do not ring for a marking that failed', async () => {
    await show()
    api.refuse(readNotification, 'unavailable')
    await user.click(await unread(1))
    await user.click(await screen.findByRole('link', { name: /^Open/ }))
    await waitFor(() => expect(api.callsOf(readNotification)).toHaveLength(1))
    await unread(1)
    await silence()
  })

  test('that are added to what is known ring: it is unread anew', async () => {
    const page = await show()
    box.change(() => true, { is_read: true })
    page.refresh()
    await unread(0)
    box.change(() => true, { is_read: false, count: 2, updated_at: new Date().toISOString() })
    page.refresh()
    await unread(1)
    await tones(2)
  })
})

describe('the sound switch', () => {
  const soundSwitch = () => screen.getByRole('switch', { name: /^Sound/ }) as HTMLInputElement

  test('is on until one switches it off, and that is remembered', async () => {
    const page = await show()
    expect(soundSwitch().checked).toBe(true)
    expect(await accessibilityFaults()).toEqual([])
    await user.click(soundSwitch())
    await page.comes(2)
    await silence()

    cleanup()
    box.holds(aNotification())
    const again = await show()
    expect(soundSwitch().checked).toBe(false)
    await again.comes(2)
    await silence()
    await user.click(soundSwitch())
    await again.comes(3)
    await tones(2)

    cleanup()
    box.holds(aNotification())
    await show()
    expect(soundSwitch().checked).toBe(true)
  })

  test.each(['user', 'admin'] as const)('governs the chime of messages, which is for everybody: %s', async role => {
    renderScreen(
      <>
        <Messages id="sam" />
        <SoundSwitch person={{ id: 'sam', role }} />
      </>,
    )
    const message = () => user.click(screen.getByRole('button', { name: 'a message arrives' }))
    expect(screen.getByText('A chime when messages arrive')).toBeTruthy()
    await message()
    await tones(2)
    expect(audio.scheduled[0]!.hertz).toBeLessThan(audio.scheduled[1]!.hertz)
    audio.end()
    await settle()
    await user.click(soundSwitch())
    await message()
    await settle()
    expect(audio.scheduled).toHaveLength(2)
  })

  test('is each person’s own', async () => {
    await show()
    await user.click(soundSwitch())
    cleanup()
    box.holds(aNotification())
    const page = await show({ id: 'sue' })
    expect(soundSwitch().checked).toBe(true)
    await page.comes(2)
    await tones(2)
  })

  test('holds in all tabs', async () => {
    await show()
    const changed = (newValue: string | null) =>
      act(() => window.dispatchEvent(new StorageEvent('storage', { key: 'watchline.sound.supervisor1', newValue })))
    changed('off')
    await waitFor(() => expect(soundSwitch().checked).toBe(false))
    changed(null)
    await waitFor(() => expect(soundSwitch().checked).toBe(true))
  })
})
