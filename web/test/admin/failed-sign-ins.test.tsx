import { afterEach, expect, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getFailedSignIns } from '@watchline/contracts/audit'
import { FailedSignIns } from '../../src/features/admin/security/failed-sign-ins.tsx'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
afterEach(cleanup)

const failures = {
  since: '2026-11-20T08:00:00.000Z',
  count: 3,
  latest_at: '2026-11-20T10:00:00.000Z',
  networks: ['203.0.113.7', '2001:db8:1:2::/64'],
}
const open = () =>
  renderScreen(
    <ChoiceOwner value="admin-1">
      <main tabIndex={-1}>
        <FailedSignIns />
      </main>
    </ChoiceOwner>,
  )
const title = { name: '3 failed sign-ins with your email address' }

test('failed sign-ins are shown until they are dismissed, and again after a later one', async () => {
  api.answer(getFailedSignIns, failures)
  open()
  expect(await screen.findByRole('heading', title)).toBeTruthy()
  expect(screen.getByText(/They came from 203\.0\.113\.7, 2001:db8:1:2::\/64\./)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Settings' }).getAttribute('href')).toMatch(/\?tab=settings$/)
  expect(await findAccessibilityFaults()).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Dismiss failed sign-ins' }))
  expect(screen.queryByRole('heading', title)).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('main'))
  cleanup()

  api.answer(getFailedSignIns, { ...failures, latest_at: '2026-11-20T10:00:01.000Z' })
  open()
  expect(await screen.findByRole('heading', title)).toBeTruthy()
})

test('a single failed sign-in is told in the singular', async () => {
  api.answer(getFailedSignIns, { ...failures, count: 1, networks: ['203.0.113.7'] })
  open()
  expect(await screen.findByRole('heading', { name: '1 failed sign-in with your email address' })).toBeTruthy()
  expect(screen.getByText(/It was on .+, from 203\.0\.113\.7\./)).toBeTruthy()
})

test('failed sign-ins can be loaded again after a failure', async () => {
  api.refuse(getFailedSignIns, 'unavailable')
  open()
  expect(await screen.findByText('Couldn’t load the failed sign-ins with your email address.')).toBeTruthy()
  api.answer(getFailedSignIns, failures)
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByRole('heading', title)).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('main'))
})
