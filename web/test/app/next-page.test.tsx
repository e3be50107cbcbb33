import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getProfile } from '@watchline/contracts/auth'
import { getEngagementDashboard, getTeam, getTeamHistory, listTasksAtRisk } from '@watchline/contracts/engagement'
import { listGroupChoices } from '@watchline/contracts/groups'
import type { AnyOperation, ResponseOf } from '@watchline/contracts/operation'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylistChoices } from '@watchline/contracts/playlists'
import { listSupervisorRequests } from '@watchline/contracts/supervisor-requests'
import type { ReactNode } from 'react'
import { SupervisorRequests } from '../../src/features/admin/requests/supervisor-requests.tsx'
import { TasksAtRisk } from '../../src/features/analytics/tasks-at-risk.tsx'
import { TeamAnalytics } from '../../src/features/analytics/team-analytics.tsx'
import { PeopleGroups } from '../../src/features/supervision/people-groups.tsx'
import { PeopleList } from '../../src/features/supervision/people-list.tsx'
import { makeMember, makeTeam } from '../support/engagement.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const person = makeUser({ role: 'supervisor' })
const member = makeMember({ user_id: person.id })
const total = 120
/** Every page has one item, and names a next page. */
const headers = { 'x-total-count': String(total), 'x-next-cursor': 'next' }

beforeEach(() => {
  api.answer(getProfile, person)
  api.answer(getTeamHistory, [])
  api.answer(getEngagementDashboard, [])
  api.answer(listGroupChoices, [])
  api.answer(listPlaylistChoices, [])
  api.answer(getTeam, makeTeam([member]))
})
afterEach(cleanup)

const tasksPage: ResponseOf<typeof listTasksAtRisk> = {
  counts: { tasks: total, people: 1, overdue: total, behind: 0, not_started: 0 },
  tasks: [
    {
      ...{ user_id: person.id, name: person.name, email: person.email, picture: null },
      ...{ playlist_id: 'safety', playlist_title: 'Fire safety' },
      ...{ assigned_at: '2026-01-05T09:00:00.000Z', due: '2026-02-01T16:00:00.000Z' },
      ...{ completion_rate: 40, reasons: ['overdue'] },
    },
  ],
}
const requestsPage: ResponseOf<typeof listSupervisorRequests> = [
  {
    id: 'request',
    manager_id: 'manager',
    manager_name: 'Manager One',
    supervisor_id: person.id,
    supervisor_name: person.name,
    reason: '',
    status: 'pending',
    requested_at: '2026-01-05T09:00:00.000Z',
    reviewed_at: null,
    comment: '',
  },
]
const people = { query: {}, withRole: false, withTeam: false, online: undefined, onOpen: () => undefined }

const lists: [
  name: string,
  View: () => ReactNode,
  operation: AnyOperation,
  answer: unknown,
  captions: [string, string],
][] = [
  ['the people of a team', () => <PeopleList {...people} />, listTeam, [person], ['1–1 of 120', '51–51 of 120']],
  [
    'the groups of people',
    () => <PeopleGroups by="supervisor" {...people} />,
    listTeam,
    [person],
    ['1–1 of 120', '51–51 of 120'],
  ],
  [
    'the engagement of a team',
    () => <TeamAnalytics onOpen={() => undefined} />,
    getTeam,
    makeTeam([member]),
    ['1–1 of 120', '51–51 of 120'],
  ],
  [
    'the tasks at risk',
    () => <TasksAtRisk onOpen={() => undefined} />,
    listTasksAtRisk,
    tasksPage,
    ['1–1 of 120 tasks · page 1 of 3', '51–51 of 120 tasks · page 2 of 3'],
  ],
  [
    'the supervisor requests',
    SupervisorRequests,
    listSupervisorRequests,
    requestsPage,
    ['1–1 of 120 requests · page 1 of 5', '26–26 of 120 requests · page 2 of 5'],
  ],
]

test.each(lists)('%s: a second press on Next before the answer turns no other page', async (...list) => {
  const [, View, operation, page, [firstCaption, secondCaption]] = list
  let sendSecondPage = () => {}
  const isSent = new Promise<void>(resolve => {
    sendSecondPage = resolve
  })
  api.answer(
    operation,
    async ({ query }) => {
      if (query.cursor) await isSent
      return page as never
    },
    headers,
  )
  renderScreen(<View />)
  await screen.findByText(firstCaption)
  const next = screen.getByRole('button', { name: 'Next' })
  await user.click(next)
  await user.click(next)
  await waitFor(() => expect(api.callsOf(operation).some(({ query }) => query.cursor === 'next')).toBe(true))
  // The items of the first page are shown until the answer arrives.
  expect(screen.getByText(firstCaption)).toBeTruthy()
  sendSecondPage()
  expect(await screen.findByText(secondCaption)).toBeTruthy()
})
