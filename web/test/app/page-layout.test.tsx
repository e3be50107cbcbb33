import { afterEach, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import { getProfile } from '@watchline/contracts/auth'
import type { ComponentType } from 'react'
import { Route, Routes } from 'react-router'
import { PageLayout } from '../../src/app/page-layout.tsx'
import { PersonLoader } from '../../src/app/person-loader.tsx'
import { loadable } from '../../src/ui/feedback/loadable.tsx'
import { createFakeApi, setCookie } from '../support/fake-api.ts'
import { renderPlain } from '../support/render.tsx'

const api = createFakeApi()
afterEach(cleanup)

function Page() {
  return <PersonLoader>{person => person === null && 'nobody is signed in'}</PersonLoader>
}

test('the profile is asked for once, at once, while the code of the page is still loading', async () => {
  setCookie('watchline_account', 'user')
  api.refuse(getProfile, 'no_session')
  const code = Promise.withResolvers<ComponentType>()
  const SlowPage = loadable(() => code.promise)
  renderPlain(
    <Routes>
      <Route element={<PageLayout />}>
        <Route path="/" element={<SlowPage />} />
      </Route>
    </Routes>,
  )
  await waitFor(() => expect(api.callsOf(getProfile)).toHaveLength(1))
  await act(async () => code.resolve(Page))
  expect(await screen.findByText('nobody is signed in')).toBeTruthy()
  expect(api.callsOf(getProfile)).toHaveLength(1)
})
