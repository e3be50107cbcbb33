import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { getAdminProfile, getProfile } from '@watchline/contracts/auth'
import { getTeam } from '@watchline/contracts/engagement'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { listOnline } from '@watchline/contracts/presence'
import { Dashboard } from '../../src/app/dashboard.tsx'
import { PersonLoader } from '../../src/app/person-loader.tsx'
import { createFakeApi } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor' })
const dataCalls = [listTeam, listPlaylists, listOnline, getTeam]

beforeEach(() => {
  api.refuse(getAdminProfile, 'no_session')
  api.answer(getProfile, supervisor1)
  // No answer ever arrives, so that no call can have waited for one.
  for (const operation of dataCalls) api.answer(operation, () => new Promise<never>(() => {}))
})
afterEach(cleanup)

test('the dashboard shows its heading and sends all its data calls as soon as the person is known', async () => {
  renderScreen(
    <PersonLoader>{person => person && <Dashboard person={{ ...person, role: 'supervisor' }} />}</PersonLoader>,
  )
  expect(await screen.findByRole('heading', { name: 'Supervisor Dashboard' })).toBeTruthy()
  await waitFor(() => {
    for (const operation of dataCalls) expect(api.callsOf(operation).length).toBeGreaterThan(0)
  })
})
