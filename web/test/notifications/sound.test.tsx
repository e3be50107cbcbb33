import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { readNotification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import { gateway } from '../../src/api/gateway.ts'
import { NotificationBell } from '../../src/features/notifications/bell/notification-bell.tsx'
import { SoundSwitch } from '../../src/features/notifications/sound/sound-switch.tsx'
import { useMessageChime, useTeamPanelChime } from '../../src/features/notifications/sound/use-chime.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeNotification } from '../support/notifications.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'
import { createFakeAudio } from './_fake-audio.ts'
import { createFakeNotificationService } from './_fake-notification-service.ts'

const api = createFakeApi()
const user = userEvent.setup()
const service = createFakeNotificationService(api)
let audio: ReturnType<typeof createFakeAudio>

beforeEach(() => {
  audio = createFakeAudio()
  setXsrfCookie('there')
  service.setNotifications(makeNotification())
  service.answerCalls()
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
  const ringChime = useMessageChime(id)
  return (
    <button type="button" onClick={ringChime}>
      a message arrives
    </button>
  )
}

interface PageOptions {
  role?: Exclude<Role, 'admin'>
  id?: string
  panel?: boolean
  /** Whether the person has touched the page. */
  touched?: boolean
}

async function renderPage({
  role = 'supervisor',
  id = 'supervisor1',
  panel = false,
  touched = true,
}: PageOptions = {}) {
  const { store } = renderScreen(
    <>
      <NotificationBell person={{ ...makeUser({ id, name: 'Supervisor One' }), role }} />
      <SoundSwitch person={{ id, role }} />
      {panel ? <TeamPanel /> : null}
      <button type="button">anything</button>
    </>,
  )
  await findUnreadCount(1)
  if (touched) await user.click(screen.getByRole('button', { name: 'anything' }))
  const refresh = () => store.dispatch(gateway.util.invalidateTags(['Notifications']))
  return {
    refresh,
    /** Adds a notification that the next poll finds, and waits for the count. */
    async addNotification(count: number) {
      service.addNotification(makeNotification())
      refresh()
      await findUnreadCount(count)
    },
  }
}

const findUnreadCount = (count: number) =>
  screen.findByRole('button', { name: new RegExp(`^Notifications, ${count} unread`) })
const expectTones = (count: number) => waitFor(() => expect(audio.scheduled).toHaveLength(count))
/** Lets effects and continuations of promises run, in several turns of the event loop. */
const settlePromises = () =>
  act(async () => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise(resolve => setTimeout(resolve))
  })

async function expectSilence() {
  await settlePromises()
  expect(audio.scheduled).toEqual([])
}

describe('the sound of new notifications', () => {
  test('has two tones on a supervisor’s dashboard, and is absent on the first load', async () => {
    const page = await renderPage()
    await expectSilence()
    await page.addNotification(2)
    await expectTones(2)
  })

  test('has three rising tones alone while the team panel is shown', async () => {
    const page = await renderPage({ panel: true })
    await page.addNotification(2)
    await expectTones(3)
    audio.endTones()
    await settlePromises()
    expect(audio.scheduled).toHaveLength(3)
  })

  test('reaches a director only in the team panel', async () => {
    const page = await renderPage({ role: 'director' })
    await page.addNotification(2)
    await expectSilence()
    cleanup()
    service.setNotifications(makeNotification())
    await (await renderPage({ role: 'director', panel: true })).addNotification(2)
    await expectTones(3)
  })

  test.each(['user', 'manager'] as const)('is absent for a %s', async role => {
    const page = await renderPage({ role })
    await page.addNotification(2)
    await expectSilence()
  })

  test('is absent and not made up for on a page without any touch', async () => {
    const page = await renderPage({ touched: false })
    await page.addNotification(2)
    await user.click(screen.getByRole('button', { name: 'anything' }))
    await expectSilence()
  })

  test('is absent for an earlier notification that is unread again', async () => {
    const page = await renderPage()
    service.update(() => true, { is_read: true })
    page.refresh()
    await findUnreadCount(0)
    service.update(() => true, { is_read: false })
    page.refresh()
    await findUnreadCount(1)
    await expectSilence()
  })

  test('is absent after a failure to mark one as read', async () => {
    await renderPage()
    api.refuse(readNotification, 'unavailable')
    await user.click(await findUnreadCount(1))
    await user.click(await screen.findByRole('link', { name: /^Open/ }))
    await waitFor(() => expect(api.callsOf(readNotification)).toHaveLength(1))
    await findUnreadCount(1)
    await expectSilence()
  })

  test('follows a group with a new activity, because it is unread again', async () => {
    const page = await renderPage()
    service.update(() => true, { is_read: true })
    page.refresh()
    await findUnreadCount(0)
    service.update(() => true, { is_read: false, count: 2, updated_at: new Date().toISOString() })
    page.refresh()
    await findUnreadCount(1)
    await expectTones(2)
  })
})

describe('the sound switch', () => {
  const soundSwitch = () => screen.getByRole('switch', { name: /^Sound/ }) as HTMLInputElement

  test('is on by default, and the choice is remembered', async () => {
    const page = await renderPage()
    expect(soundSwitch().checked).toBe(true)
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(soundSwitch())
    await page.addNotification(2)
    await expectSilence()

    cleanup()
    service.setNotifications(makeNotification())
    const secondPage = await renderPage()
    expect(soundSwitch().checked).toBe(false)
    await secondPage.addNotification(2)
    await expectSilence()
    await user.click(soundSwitch())
    await secondPage.addNotification(3)
    await expectTones(2)

    cleanup()
    service.setNotifications(makeNotification())
    await renderPage()
    expect(soundSwitch().checked).toBe(true)
  })

  test.each(['user', 'admin'] as const)('controls the sound of messages for every role: %s', async role => {
    renderScreen(
      <>
        <Messages id="sam" />
        <SoundSwitch person={{ id: 'sam', role }} />
      </>,
    )
    const receiveMessage = () => user.click(screen.getByRole('button', { name: 'a message arrives' }))
    expect(screen.getByText('Play a sound for new messages')).toBeTruthy()
    await receiveMessage()
    await expectTones(2)
    expect(audio.scheduled[0]!.hertz).toBeLessThan(audio.scheduled[1]!.hertz)
    audio.endTones()
    await settlePromises()
    await user.click(soundSwitch())
    await receiveMessage()
    await settlePromises()
    expect(audio.scheduled).toHaveLength(2)
  })

  test('has one setting for each person', async () => {
    await renderPage()
    await user.click(soundSwitch())
    cleanup()
    service.setNotifications(makeNotification())
    const page = await renderPage({ id: 'sue' })
    expect(soundSwitch().checked).toBe(true)
    await page.addNotification(2)
    await expectTones(2)
  })

  test('applies to all tabs', async () => {
    await renderPage()
    const changeStorage = (newValue: string | null) =>
      act(() => window.dispatchEvent(new StorageEvent('storage', { key: 'watchline.sound.supervisor1', newValue })))
    changeStorage('off')
    await waitFor(() => expect(soundSwitch().checked).toBe(false))
    changeStorage(null)
    await waitFor(() => expect(soundSwitch().checked).toBe(true))
  })
})
