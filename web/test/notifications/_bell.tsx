import { afterEach, beforeEach } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Role } from '@watchline/contracts/people'
import { NotificationBell } from '../../src/features/notifications/bell/notification-bell.tsx'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'
import { mailbox } from './_mailbox.ts'

/** The bell on a page, before a mailbox, set up anew for each test of the file. */
export function bellOnAPage() {
  const api = fakeApi()
  const user = userEvent.setup()
  const box = mailbox(api)
  const matchMedia = window.matchMedia

  beforeEach(() => {
    setXsrfCookie('there')
    box.holds()
    box.answer()
  })
  afterEach(() => {
    cleanup()
    window.matchMedia = matchMedia
  })

  function show(role: Exclude<Role, 'admin'> = 'supervisor') {
    return renderScreen(
      <>
        <NotificationBell person={{ ...aUser({ id: 'supervisor1', name: 'Supervisor One' }), role }} />
        <main id="main" tabIndex={-1}>
          the page
        </main>
      </>,
    )
  }

  const bell = (name: RegExp | string = /^Notifications/) => screen.findByRole('button', { name })
  const address = () => screen.getByTestId('address').textContent

  async function open(role?: Exclude<Role, 'admin'>) {
    const shown = show(role)
    await user.click(await bell(/unread/))
    await screen.findByRole('heading', { name: 'Notifications' })
    return shown
  }

  const waiting = () => screen.findByRole('region', { name: /^Waiting for you/ })
  const item = async (text: string | RegExp) => (await screen.findByText(text)).closest('li') as HTMLElement

  return { api, user, box, matchMedia, show, open, bell, address, waiting, item }
}
