import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { getAdminProfile, getProfile, signInOptions } from '@watchline/contracts/auth'
import { AppRoutes } from '../../src/app/router.tsx'
import { createFakeApi } from '../support/fake-api.ts'
import { renderPlain } from '../support/render.tsx'

const api = createFakeApi()
beforeEach(() => {
  api.refuse(getAdminProfile, 'no_session')
  api.refuse(getProfile, 'no_session')
  api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
})
afterEach(cleanup)

test.each(['/dashboard', '/dashboard?session=p1', '/anything', '/dashboard/team', '/admin/users'])(
  '%s leads to the sign-in page when nobody is signed in',
  async at => {
    renderPlain(<AppRoutes />, { at })
    expect(await screen.findByRole('link', { name: 'Sign in with Acme' })).toBeTruthy()
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/'))
  },
)
