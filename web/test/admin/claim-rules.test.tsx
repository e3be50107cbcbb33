import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import {
  getClaimRules,
  previewClaimRules,
  type SavedClaimRules,
  saveClaimRules,
} from '@watchline/contracts/claim-rules'
import { listManagers, listSupervisors } from '@watchline/contracts/organisation'
import { getSecondFactors } from '@watchline/contracts/second-factors'
import { HttpResponse } from 'msw'
import { ClaimRules } from '../../src/features/admin/claim-rules/claim-rules.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor = makeUser({ name: 'Supervisor One', role: 'supervisor', user_count: 10 })
const manager = makeUser({ name: 'Manager One', role: 'manager', supervisor_count: 2 })

function makeSaved(changes: Partial<SavedClaimRules> = {}): SavedClaimRules {
  return {
    claims: ['groups', 'roles'],
    rules: [],
    version: 0,
    updated_at: null,
    updated_by: null,
    problems: [],
    problem_count: 0,
    ...changes,
  }
}
const leads: SavedClaimRules['rules'][number] = { claim: 'groups', value: 'leads', role: 'supervisor', leader: null }
const team: SavedClaimRules['rules'][number] = {
  claim: 'roles',
  value: 'team-a',
  role: 'user',
  leader: { id: supervisor.id, name: 'Supervisor One', available: true },
}

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(getSecondFactors, { sign_in: 'password', required: false, factors: [], recovery_codes_left: 0 })
  api.answer(getClaimRules, makeSaved({ rules: [leads, team], version: 3 }))
  api.answer(listSupervisors, [supervisor], { 'x-total-count': '1' })
  api.answer(listManagers, [manager], { 'x-total-count': '1' })
})
afterEach(cleanup)

const openRules = () => renderScreen(<ClaimRules />, { at: '/admin?tab=settings&view=rules' })
const findRule = async (number: number) => within(await screen.findByRole('group', { name: `Rule ${number}` }))
const press = (name: string | RegExp) => user.click(screen.getByRole('button', { name }))
async function saveWithPassword() {
  await enterText(user, screen.getByLabelText('Your password'), 'my password')
  await press('Save rules')
}
const savedBodies = () => api.callsOf(saveClaimRules).map(call => call.body)

describe('the list of rules', () => {
  test('without rules says what one is for', async () => {
    api.answer(getClaimRules, makeSaved())
    openRules()
    expect(await screen.findByText('No rules')).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save rules' }).disabled).toBe(true)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('that does not load can be loaded again', async () => {
    api.refuse(getClaimRules, 'internal')
    openRules()
    expect(await screen.findByText('Couldn’t load the rules.')).toBeTruthy()
    api.answer(getClaimRules, makeSaved({ rules: [leads], version: 1 }))
    await press('Try Again')
    expect((await findRule(1)).getByLabelText<HTMLInputElement>('contains').value).toBe('leads')
  })

  test('names the setting if no claim can be used', async () => {
    api.answer(getClaimRules, makeSaved({ claims: [] }))
    openRules()
    expect(await screen.findByText('OIDC_CLAIMS')).toBeTruthy()
  })

  test('shows leaders who lead no more, and the people without the team of their rule', async () => {
    const lost = { id: 'gone', name: 'Supervisor Gone', available: false }
    const person = makeUser({ name: 'Trainee One', email_verified: false })
    const problem = { user: person, leader_name: 'Supervisor One', at: '2026-11-20T10:00:00.000Z' }
    api.answer(
      getClaimRules,
      makeSaved({
        rules: [{ ...team, leader: lost }],
        version: 2,
        problems: [{ ...problem, problem: 'full' }],
        problem_count: 4,
      }),
    )
    openRules()
    expect(await screen.findByText(/Supervisor Gone is no active supervisor any more/)).toBeTruthy()
    expect(screen.getByText(/^The team of Supervisor One is full\./)).toBeTruthy()
    expect(screen.getByText('and 3 other people')).toBeTruthy()
    expect(screen.getByTitle(/has not confirmed that this email address/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })
})

describe('changing the rules', () => {
  test('adds, moves, removes and saves them together, of the version that was loaded', async () => {
    api.answer(saveClaimRules, makeSaved({ version: 4 }))
    openRules()
    await findRule(2)
    await press('Add rule')
    const added = await findRule(3)
    await press('Save rules')
    expect(screen.getByText('Enter your password')).toBeTruthy()
    expect(added.getByText('Enter a value')).toBeTruthy()
    expect(savedBodies()).toEqual([])
    await enterText(user, added.getByLabelText('contains'), ' managers ')
    await user.selectOptions(added.getByLabelText('the person is'), 'manager')
    expect(added.queryByRole('combobox', { name: /optional/ })).toBeNull()
    await press('Move up rule 3')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move up rule 2' }))
    await press('Move up rule 2')
    // At the end of the list, too, and although the moved rule changes its place in the document.
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move up rule 1' }))
    await press('Move up rule 1')
    await press('Move down rule 1')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move down rule 2' }))
    await press('Remove rule 1')
    expect(document.activeElement?.textContent).toBe('Add rule')
    api.answer(getClaimRules, makeSaved({ version: 4 }))
    await saveWithPassword()
    expect(await screen.findByText('The rules are saved')).toBeTruthy()
    // The saved version replaces the form with the pressed button.
    await screen.findByText('No rules')
    expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Roles from your sign-in provider' }))
    expect(savedBodies()).toEqual([
      {
        rules: [
          { claim: 'groups', value: 'managers', role: 'manager', leader_id: null },
          { claim: 'roles', value: 'team-a', role: 'user', leader_id: supervisor.id },
        ],
        version: 3,
        password: 'my password',
      },
    ])
  })

  test('chooses the manager of a supervisor', async () => {
    api.answer(saveClaimRules, makeSaved({ version: 4 }))
    openRules()
    const first = await findRule(1)
    await user.click(first.getByRole('combobox', { name: 'under manager (optional)' }))
    await user.click(await screen.findByRole('option', { name: /Manager One/ }))
    await saveWithPassword()
    await screen.findByText('The rules are saved')
    expect(savedBodies()).toMatchObject([{ rules: [{ leader_id: manager.id }, {}] }])
  })

  test('after somebody else’s change, keeps the form and offers the saved rules', async () => {
    api.refuse(saveClaimRules, 'edited_elsewhere')
    openRules()
    await enterText(user, (await findRule(1)).getByLabelText('contains'), '-new')
    await saveWithPassword()
    expect((await screen.findByRole('alert')).textContent).toMatch(/^Somebody changed this meanwhile/)
    expect((await findRule(1)).getByLabelText<HTMLInputElement>('contains').value).toBe('leads-new')
    api.answer(getClaimRules, makeSaved({ rules: [{ ...leads, value: 'theirs' }], version: 4 }))
    await press('Load the saved rules')
    expect(await screen.findByDisplayValue('theirs')).toBeTruthy()
  })

  test('names the rule that the server refuses', async () => {
    const errors = [{ path: 'rules.1.leader_id', message: 'is not an active supervisor' }]
    const refusal = {
      detail: 'rules.1.leader_id is not an active supervisor',
      code: 'invalid',
      request_id: 'r',
      errors,
    }
    api.answer(saveClaimRules, HttpResponse.json(refusal, { status: 422 }))
    openRules()
    await enterText(user, (await findRule(1)).getByLabelText('contains'), '-new')
    await saveWithPassword()
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toBe('Rule 2: the chosen person is not an active supervisor.')
  })

  test.each([
    [{ path: 'rules', message: 'is not valid: expected array to have <=100 items' }, /^There are more than 100 rules/],
    [
      { path: 'rules.0.value', message: 'is not valid: expected string' },
      'Rule 1: the value needs 1 to 200 characters.',
    ],
  ])('says what is too much, in words: %j', async (problem, words) => {
    const refusal = {
      detail: `${problem.path} ${problem.message}`,
      code: 'invalid',
      request_id: 'r',
      errors: [problem],
    }
    api.answer(saveClaimRules, HttpResponse.json(refusal, { status: 422 }))
    openRules()
    await enterText(user, (await findRule(1)).getByLabelText('contains'), '-new')
    await saveWithPassword()
    expect((await screen.findByRole('alert')).textContent).toMatch(words)
  })

  test('says when the next attempt is possible after too many wrong passwords', async () => {
    const refusal = { detail: 'Too many requests. Please wait and try again.', code: 'too_many', request_id: 'r' }
    api.answer(saveClaimRules, HttpResponse.json(refusal, { status: 429, headers: { 'retry-after': '90' } }))
    openRules()
    await enterText(user, (await findRule(1)).getByLabelText('contains'), '-new')
    await saveWithPassword()
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toBe('Too many attempts. Please try again in 2 minutes.')
  })

  test('says how many rules there can be when there are as many', async () => {
    const rules = Array.from({ length: 100 }, (_, index) => ({ ...leads, value: `leads-${index}` }))
    api.answer(getClaimRules, makeSaved({ rules, version: 3 }))
    openRules()
    await screen.findByText('There can be 100 rules.')
    expect(screen.getByRole('button', { name: 'Add rule' }).getAttribute('aria-disabled')).toBe('true')
  })
})

describe('the preview', () => {
  test('lists who would change and why somebody would get no team; a change of the rules removes it', async () => {
    const change = { role_before: 'user', leader_before: null, leader_after: null, problem: null } as const
    api.answer(previewClaimRules, {
      checked: 120,
      change_count: 102,
      changes: [
        { ...change, user: makeUser({ name: 'Trainee One' }), rule: 0, role_after: 'supervisor' },
        { ...change, user: makeUser({ name: 'Trainee Two' }), rule: 1, role_after: 'user', problem: 'full' },
      ],
    })
    openRules()
    await findRule(1)
    await press('Show who would change')
    expect(await screen.findByText(/102 people of 120 people/)).toBeTruthy()
    expect(screen.getByText(/^user → supervisor\./)).toBeTruthy()
    expect(screen.getByText(/^Stays user; the team of the rule is full\./)).toBeTruthy()
    expect(screen.getByText('and 100 other people')).toBeTruthy()
    expect(api.callsOf(previewClaimRules)).toHaveLength(1)
    expect(await findAccessibilityFaults()).toEqual([])
    await press('Remove rule 1')
    expect(screen.queryByText(/102 people/)).toBeNull()
  })

  test('says so if nobody would change, and if it fails', async () => {
    api.answer(previewClaimRules, { checked: 0, change_count: 0, changes: [] })
    openRules()
    await findRule(1)
    await press('Show who would change')
    expect(await screen.findByText('Nobody would change')).toBeTruthy()
    api.cut(previewClaimRules)
    await press('Show who would change')
    expect((await screen.findByRole('alert')).textContent).toBe('Couldn’t compute the preview.')
  })
})
