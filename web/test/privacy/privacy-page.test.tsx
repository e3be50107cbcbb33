import { afterEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { getPrivacyNotice } from '@watchline/contracts/privacy'
import { PrivacyPage } from '../../src/features/privacy/privacy-page.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { renderPlain } from '../support/render.tsx'

const api = createFakeApi()
afterEach(cleanup)

const daysOf = (what: string) =>
  within(screen.getByRole('row', { name: new RegExp(`^${what}`) }))
    .getAllByRole('cell')
    .at(-1)!.textContent

test('the privacy page says how long each kind of data is kept, and whom to ask', async () => {
  api.answer(getPrivacyNotice, {
    contact: 'The data protection officer, room 12',
    url: 'https://intranet.example/privacy',
    retention: {
      messages: 100,
      comments: 200,
      notifications: 300,
      player_reports: 1,
      monitored_sessions: 400,
      sign_ins: 500,
      detail_views: 600,
      audit_entries: null,
    },
  })
  renderPlain(<PrivacyPage />)
  await screen.findByText(/The data protection officer, room 12/)
  expect(screen.getByRole('link', { name: 'Data protection in your organisation' })).toHaveProperty(
    'href',
    'https://intranet.example/privacy',
  )
  expect(daysOf('Chat messages')).toBe('100 days')
  expect(daysOf('Comments and replies')).toBe('200 days, unless you delete them before')
  expect(daysOf('Notifications')).toBe('300 days')
  expect(daysOf('Reports of your player')).toBe('1 day')
  expect(daysOf('Monitored sessions')).toBe('400 days')
  expect(daysOf('Sign-ins')).toBe('500 days after the end')
  expect(daysOf('Who looked at')).toBe('600 days')
  expect(daysOf('What administrators changed')).toBe('permanently')
  expect(await findAccessibilityFaults()).toEqual([])
})

test('it says who sees changed tasks, and whether staff are online', async () => {
  api.refuse(getPrivacyNotice, 'unavailable')
  renderPlain(<PrivacyPage />)
  const readersOf = (what: string) =>
    within(screen.getByRole('row', { name: new RegExp(`^${what}`) })).getAllByRole('cell')[1]!.textContent
  await waitFor(() => expect(daysOf('Chat messages')).toBe('not known right now'))
  expect(readersOf('Tasks, their due dates')).toBe('you and your superiors')
  expect(readersOf('Whether you are online')).toBe('you and your superiors; all staff, if you are staff')
})

test('it names what the YouTube API requires, also while the server cannot be reached', async () => {
  api.refuse(getPrivacyNotice, 'unavailable')
  renderPlain(<PrivacyPage />)
  await waitFor(() => expect(daysOf('Chat messages')).toBe('not known right now'))
  expect(screen.getByText(/uses YouTube API Services/)).not.toBeNull()
  const address = (name: string) => screen.getByRole<HTMLAnchorElement>('link', { name }).href
  expect(address('YouTube Terms of Service')).toBe('https://www.youtube.com/t/terms')
  expect(address('Google Privacy Policy')).toBe('https://policies.google.com/privacy')
  screen.getByText('Your administrator or your supervisor.')
})
