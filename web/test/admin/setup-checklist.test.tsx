import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getSystemStatus } from '@watchline/contracts/auth'
import { countUsers, listSupervisors } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { SetupChecklist } from '../../src/features/admin/checklist/setup-checklist.tsx'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'
import { makeCounts } from './_admin.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const nobody = makeCounts({ total: 0, user: 0, supervisor: 0, manager: 0, director: 0, managed_supervisors: 0 })
const active = { status: 'active' as const, provider: 'Example ID' }

function answerEmptyOrganisation() {
  const development = { status: 'needs_update' as const, provider: 'the development provider' }
  api.answer(getSystemStatus, { database: 'connected', authentication: development })
  api.answer(countUsers, nobody)
  api.answer(listSupervisors, [])
  api.answer(listPlaylists, [])
}

function answerReadyOrganisation() {
  api.answer(getSystemStatus, { database: 'connected', authentication: active })
  api.answer(countUsers, makeCounts())
  api.answer(listSupervisors, [makeUser({ role: 'supervisor', user_count: 3 })])
  api.answer(listPlaylists, [makePlaylist({ shared_with: ['supervisor1'] })])
}

const renderChecklist = () =>
  renderScreen(
    <ChoiceOwner value="admin1">
      <main tabIndex={-1}>
        <SetupChecklist />
      </main>
    </ChoiceOwner>,
    { at: '/admin' },
  )
const findStep = async (name: RegExp) =>
  (await screen.findByRole('heading', { level: 3, name })).closest('li') as HTMLElement

beforeEach(() => {
  setXsrfCookie('there')
  answerEmptyOrganisation()
})
afterEach(cleanup)

describe('the first steps', () => {
  test('say of a new organisation what is not done, and where it is done', async () => {
    renderChecklist()
    expect(await screen.findByText('0 of 4 done')).toBeTruthy()
    const links = screen.getAllByRole('link').map(link => [link.textContent, link.getAttribute('href')])
    expect(links).toEqual([
      ['Open Settings', '/admin?tab=settings'],
      ['Open the import', '/admin?tab=users&view=import'],
      ['Open Regular Users', '/admin?tab=users&role=user'],
      ['Open Managers', '/admin?tab=managers'],
    ])
    expect(await findStep(/Connect sign-in\s+\(not done/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('take each state from what the organisation has', async () => {
    api.answer(getSystemStatus, { database: 'connected', authentication: active })
    api.answer(countUsers, makeCounts({ total: 12, supervisor: 2 }))
    api.answer(listSupervisors, [makeUser({ role: 'supervisor', user_count: 0 })])
    api.answer(listPlaylists, [makePlaylist()])
    renderChecklist()
    expect(await screen.findByText('2 of 4 done')).toBeTruthy()
    expect(within(await findStep(/sign-in\s+\(done/)).getByText('People sign in with Example ID.')).toBeTruthy()
    expect(within(await findStep(/people\s+\(done/)).getByText('12 people are here.')).toBeTruthy()
    expect(within(await findStep(/teams\s+\(not done/)).getByText(/^No supervisor has a team yet/)).toBeTruthy()
    expect(within(await findStep(/playlist\s+\(not done/)).getByText(/none is shared or assigned yet/)).toBeTruthy()
  })

  test('go by themselves when all is done, and ask nothing from then on', async () => {
    answerReadyOrganisation()
    renderChecklist()
    await waitFor(() => expect(screen.queryByText('First steps')).toBeNull())
    cleanup()
    const callsBefore = api.received.length
    answerEmptyOrganisation()
    renderChecklist()
    expect(screen.queryByText('First steps')).toBeNull()
    expect(api.received.length).toBe(callsBefore)
  })

  test('stay away once they are dismissed', async () => {
    renderChecklist()
    await user.click(await screen.findByRole('button', { name: 'Dismiss first steps' }))
    expect(screen.queryByText('First steps')).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('main'))
    cleanup()
    renderChecklist()
    expect(screen.queryByText('First steps')).toBeNull()
  })

  test('can be checked again after a failure', async () => {
    api.refuse(listPlaylists, 'unavailable')
    renderChecklist()
    const tryAgain = await screen.findByRole('button', { name: 'Try Again' })
    answerEmptyOrganisation()
    await user.click(tryAgain)
    expect(await screen.findByText('0 of 4 done')).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByRole('main'))
  })
})
