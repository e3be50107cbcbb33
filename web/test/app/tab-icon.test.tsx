import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, render } from '@testing-library/react'
import { drawTabIcon, useTabIcon } from '../../src/app/tab-icon.ts'
import { ScreenTitle } from '../../src/ui/frame/screen-title.tsx'
import { type TabSession, useSessionInTab, useUnreadInTab } from '../../src/ui/frame/tab-status.ts'

function Bell({ unread }: { unread: number }) {
  useUnreadInTab(unread)
  return null
}

function Player({ session }: { session: TabSession }) {
  useSessionInTab(session)
  return null
}

function Page({ unread, session }: { unread?: number; session?: TabSession }) {
  useTabIcon()
  return (
    <>
      <ScreenTitle name="Team Members" />
      {unread !== undefined && <Bell unread={unread} />}
      {session && <Player session={session} />}
    </>
  )
}

const shownIcon = () => decodeURIComponent(document.querySelector<HTMLLinkElement>('link[rel="icon"]')!.href)
const plainIcon = 'http://localhost/favicon.svg'

beforeEach(() => {
  document.head.innerHTML = '<link rel="icon" type="image/svg+xml" href="/favicon.svg"><title>Watchline</title>'
})
afterEach(cleanup)

test('the title has the number of unread notifications before the screen', () => {
  const { rerender } = render(<Page />)
  expect(document.title).toBe('Team Members · Watchline')
  rerender(<Page unread={3} />)
  expect(document.title).toBe('(3) Team Members · Watchline')
  rerender(<Page unread={100} />)
  expect(document.title).toBe('(99+) Team Members · Watchline')
  rerender(<Page unread={0} />)
  expect(document.title).toBe('Team Members · Watchline')
})

test('the icon shows unread notifications and the state of the session, until both are gone', () => {
  const { rerender } = render(<Page unread={0} session="none" />)
  expect(shownIcon()).toBe(plainIcon)
  rerender(<Page unread={2} session="none" />)
  expect(shownIcon()).toContain(drawTabIcon(true, 'none'))
  rerender(<Page unread={2} session="running" />)
  expect(shownIcon()).toContain(drawTabIcon(true, 'running'))
  rerender(<Page unread={0} session="paused" />)
  expect(shownIcon()).toContain(drawTabIcon(false, 'paused'))
  // Bell and player are gone after the sign-out.
  rerender(<Page />)
  expect(shownIcon()).toBe(plainIcon)
})

test('the drawn icon without badges is the icon of the page', () => {
  const withoutTitle = readFileSync('web/public/favicon.svg', 'utf8').replace('<title>Watchline</title>', '')
  expect(drawTabIcon(false, 'none')).toBe(withoutTitle.trim())
})
