import { afterEach, expect, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { unsubscribe } from '@watchline/contracts/mail'
import { UnsubscribePage } from '../../src/features/unsubscribe/unsubscribe-page.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
afterEach(cleanup)

test('only the button ends the mails; a link that is not valid is explained', async () => {
  setXsrfCookie('token')
  renderScreen(<UnsubscribePage />, { at: '/?page=unsubscribe#token=t' })
  expect(await screen.findByRole('heading', { name: 'No more mails of this kind?' })).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
  api.refuse(unsubscribe, 'invalid_unsubscribe_token')
  await user.click(screen.getByRole('button', { name: 'End these mails' }))
  expect((await screen.findByRole('alert')).textContent).toContain('This link is not valid')
  api.answer(unsubscribe, { success: true, kind: 'task_overdue' })
  await user.click(screen.getByRole('button', { name: 'End these mails' }))
  expect(await screen.findByRole('heading', { name: 'You get no more mails of this kind' })).toBeTruthy()
})
