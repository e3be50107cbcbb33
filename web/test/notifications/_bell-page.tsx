import { afterEach, beforeEach } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Role } from '@watchline/contracts/people'
import { NotificationBell } from '../../src/features/notifications/bell/notification-bell.tsx'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'
import { createFakeNotificationService } from './_fake-notification-service.ts'

/** Sets up a page with the bell and a fake notification service for each test of the file. */
export function setUpBellPage() {
  const api = createFakeApi()
  const user = userEvent.setup()
  const service = createFakeNotificationService(api)
  const realMatchMedia = window.matchMedia

  beforeEach(() => {
    setXsrfCookie('there')
    service.setNotifications()
    service.answerCalls()
  })
  afterEach(() => {
    cleanup()
    window.matchMedia = realMatchMedia
  })

  function renderBell(role: Exclude<Role, 'admin'> = 'supervisor', at?: string) {
    return renderScreen(
      <>
        <NotificationBell person={{ ...makeUser({ id: 'supervisor1', name: 'Supervisor One' }), role }} />
        <main id="main" tabIndex={-1}>
          the page
        </main>
      </>,
      at ? { at } : undefined,
    )
  }

  const findBell = (name: RegExp | string = /^Notifications/) => screen.findByRole('button', { name })
  const address = () => screen.getByTestId('address').textContent

  async function openMenu(role?: Exclude<Role, 'admin'>, at?: string) {
    const rendered = renderBell(role, at)
    await user.click(await findBell(/unread/))
    await screen.findByRole('heading', { name: 'Notifications' })
    return rendered
  }

  const findWaitingRegion = () => screen.findByRole('region', { name: /^Needs your review/ })
  const findItem = async (text: string | RegExp) => (await screen.findByText(text)).closest('li') as HTMLElement

  return { api, user, service, realMatchMedia, renderBell, openMenu, findBell, address, findWaitingRegion, findItem }
}
