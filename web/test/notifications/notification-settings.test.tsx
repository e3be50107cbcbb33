import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Role } from '@watchline/contracts/people'
import { useBrowserNotification } from '../../src/features/notifications/browser/use-browser-notification.ts'
import { NotificationSettings } from '../../src/features/notifications/preferences/notification-settings.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { renderScreen } from '../support/render.tsx'

const user = userEvent.setup()
const onOpen = jest.fn()

/** The browser's notifications: the permission, the answer to a request, and what is shown. */
class FakeNotification {
  static permission: NotificationPermission = 'default'
  static answer: NotificationPermission = 'granted'
  static shown: FakeNotification[] = []
  static requestPermission = jest.fn(async () => {
    FakeNotification.permission = FakeNotification.answer
    return FakeNotification.answer
  })
  title: string
  onclick: (() => void) | undefined
  close = jest.fn()
  constructor(title: string) {
    this.title = title
    FakeNotification.shown.push(this)
  }
}

beforeEach(() => {
  Object.assign(FakeNotification, { permission: 'default', answer: 'granted', shown: [] })
  FakeNotification.requestPermission.mockClear()
  onOpen.mockClear()
  Object.defineProperty(globalThis, 'Notification', { value: FakeNotification, configurable: true })
  jest.spyOn(document, 'hasFocus').mockReturnValue(false)
  jest.spyOn(window, 'focus').mockImplementation(() => {})
})
afterEach(() => {
  cleanup()
  window.localStorage.clear()
  Reflect.deleteProperty(globalThis, 'Notification')
  jest.restoreAllMocks()
})

function Arrival() {
  const show = useBrowserNotification('person1', 'messages')
  return (
    <button type="button" onClick={() => show({ title: 'New message', onOpen })}>
      a message arrives
    </button>
  )
}

const renderSettings = (role: Role = 'supervisor') =>
  renderScreen(
    <>
      <NotificationSettings person={{ id: 'person1', role }} />
      <Arrival />
    </>,
  )
const findSwitch = () => screen.findByRole('switch', { name: /^Browser notifications/ })
const receiveMessage = () => user.click(screen.getByRole('button', { name: 'a message arrives' }))

describe('browser notifications', () => {
  test('ask for permission only on a press, then show what arrives in the background', async () => {
    renderSettings()
    await receiveMessage()
    expect(FakeNotification.shown).toEqual([])
    expect(FakeNotification.requestPermission).not.toHaveBeenCalled()
    await user.click(await findSwitch())
    await receiveMessage()
    expect(FakeNotification.shown.map(({ title }) => title)).toEqual(['New message'])
    FakeNotification.shown[0]!.onclick?.()
    expect(onOpen).toHaveBeenCalledTimes(1)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('show nothing while the person looks at the page', async () => {
    renderSettings()
    await user.click(await findSwitch())
    jest.spyOn(document, 'hasFocus').mockReturnValue(true)
    await receiveMessage()
    expect(FakeNotification.shown).toEqual([])
  })

  test('show only the chosen kinds, also after a reload', async () => {
    renderSettings()
    await user.click(await findSwitch())
    const group = screen.getByRole('group', { name: 'Show in the browser' })
    await user.click(group.querySelectorAll('input')[1]!)
    await receiveMessage()
    expect(FakeNotification.shown).toEqual([])
    cleanup()
    renderSettings()
    await receiveMessage()
    expect(FakeNotification.shown).toEqual([])
    expect((await findSwitch()).hasAttribute('checked') || (await findSwitch()).matches(':checked')).toBe(true)
  })

  test('stay off and say so when the browser blocks them', async () => {
    FakeNotification.answer = 'denied'
    renderSettings()
    await user.click(await findSwitch())
    expect(await screen.findByText(/Blocked by this browser/)).toBeTruthy()
    await waitFor(async () => expect(((await findSwitch()) as HTMLInputElement).disabled).toBe(true))
    await receiveMessage()
    expect(FakeNotification.shown).toEqual([])
  })

  test('are not offered by a browser without them', () => {
    Reflect.deleteProperty(globalThis, 'Notification')
    renderSettings()
    expect(screen.queryByRole('switch', { name: /^Browser notifications/ })).toBeNull()
  })
})

describe('sounds', () => {
  test('are chosen by kind where notifications have a sound', async () => {
    renderSettings('user')
    expect(screen.queryByRole('group', { name: 'Play a sound for' })).toBeNull()
    cleanup()
    renderSettings('supervisor')
    const group = screen.getByRole('group', { name: 'Play a sound for' })
    await user.click(group.querySelectorAll('input')[0]!)
    expect(JSON.parse(window.localStorage.getItem('watchline.alerts.person1') ?? '')).toEqual({
      silent: ['notifications'],
      browser: [],
    })
  })
})
