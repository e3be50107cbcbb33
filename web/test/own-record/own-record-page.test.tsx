import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { endOtherOwnSessions, endOwnSession, getOwnAccount, getProfile } from '@watchline/contracts/auth'
import { countOwnMessages } from '@watchline/contracts/chat'
import { getOwnRecord } from '@watchline/contracts/engagement'
import { countOwnNotifications } from '@watchline/contracts/notification'
import { roles } from '@watchline/contracts/people'
import { countOwnSessions } from '@watchline/contracts/playback'
import { getPrivacyNotice, listDetailViews, personalDataExports, type Retention } from '@watchline/contracts/privacy'
import { downloadIssued, issueRecord } from '@watchline/contracts/records'
import { HttpResponse } from 'msw'
import { OwnRecordPage } from '../../src/features/own-record/own-record-page.tsx'
import { describeStoredData } from '../../src/features/own-record/stored-data.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'
import { makePlaylistWatch, makeVideoWatch } from '../watch-credit/_watch-data.ts'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor = { id: 'supervisor1', name: 'Supervisor One', email: 'supervisor1@example.org', picture: null }
const trainee = { ...makeUser({ name: 'Trainee One', supervisor_id: supervisor.id }), supervisor }
const watched = makePlaylistWatch(
  [
    makeVideoWatch({
      completed: true,
      completed_at: '2026-11-03T08:00:00.000Z',
      notes: [{ code: 'skipped', times: 1, seconds: 17 }],
    }),
    makeVideoWatch({ video_id: 'v1', title: 'First aid', watched: [], missing: [[0, 250]], watch_time: 0 }),
  ],
  { title: 'Safety at work' },
)

const retention: Retention = {
  messages: 730,
  comments: 365,
  notifications: 90,
  player_reports: 30,
  monitored_sessions: 90,
  sign_ins: 30,
  detail_views: 365,
  audit_entries: null,
}

const ownSessions = [
  {
    id: 'c'.repeat(22),
    started_at: '2026-11-03T08:00:00.000Z',
    renewed_at: '2026-11-03T09:00:00.000Z',
    used_at: '2026-11-03T08:40:00.000Z',
    expires_at: '2026-12-03T09:00:00.000Z',
    current: true,
    device: 'Firefox on Windows',
    address: '192.0.2.7',
  },
  {
    id: 'o'.repeat(22),
    started_at: '2026-11-02T08:00:00.000Z',
    renewed_at: '2026-11-02T09:00:00.000Z',
    expires_at: '2026-12-03T09:00:00.000Z',
    current: false,
    device: 'Safari on iPhone',
    address: null,
  },
]

beforeEach(() => {
  api.answer(getPrivacyNotice, { contact: null, url: null, retention })
  api.answer(listDetailViews, [
    {
      viewer_id: 'manager1',
      viewer_name: 'Manager One',
      viewer_role: 'manager',
      what: 'record',
      at: '2026-11-03T08:00:00.000Z',
    },
  ])
  api.answer(getProfile, trainee)
  api.answer(getOwnAccount, { sessions: ownSessions })
  api.answer(countOwnSessions, { assignments: 2, positions: 1, monitored_sessions: 7 })
  api.answer(getOwnRecord, { playlists: [watched], comments: 3 })
  api.answer(countOwnMessages, { rooms: 1, sent: 4, received: 1_200 })
  api.answer(countOwnNotifications, { notifications: 9 })
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

const findRow = async (name: RegExp) =>
  (await screen.findByRole('rowheader', { name })).closest('tr') as HTMLTableRowElement

describe('a person’s own record', () => {
  test('says how much is stored, and who can see it', async () => {
    renderScreen(<OwnRecordPage person={trainee} />)
    for (const [kind, amount] of [
      [/^Tasks/, '2 tasks'],
      [/^Monitored sessions/, '7 sessions'],
      [/^Watched seconds/, '1 video, 3 min'],
      [/^Comments/, '3 comments'],
      [/^Chat messages/, '4 sent, 1,200 received, in 1 conversation'],
      [/^Notifications/, '9 notifications'],
    ] as const)
      expect(await within(await findRow(kind)).findByText(amount)).toBeTruthy()
    expect(
      within(await findRow(/^Watched seconds/)).getByText(
        'You, your supervisor, their manager, directors and administrators',
      ),
    ).toBeTruthy()
    expect(await screen.findByText('Supervisor One')).toBeTruthy()
    expect(await screen.findByText(/this browser/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('lists the watch record, with what is missing and why time did not count', async () => {
    renderScreen(<OwnRecordPage person={trainee} />)
    const completed = await findRow(/^Fire safety/)
    expect(completed.textContent).toMatch(/4:1078%.*2026.*3 min.*Missing 2:10 to 3:05.*17 s skipped/)
    expect((await findRow(/^First aid/)).textContent).toContain('Not watched yet')
    expect(screen.getByRole('table', { name: /^Safety at work/ })).toBeTruthy()
  })

  test('can be printed and downloaded', async () => {
    const print = jest.spyOn(window, 'print').mockImplementation(() => {})
    renderScreen(<OwnRecordPage person={trainee} />)
    const link = screen.getByRole('link', { name: 'Download CSV' })
    expect(link.getAttribute('href')).toBe('/api/engagement/record/export')
    await user.click(screen.getByRole('button', { name: 'Print' }))
    expect(print).toHaveBeenCalledTimes(1)
  })

  test('a signed record is issued for the chosen days', async () => {
    api.answer(issueRecord, {
      code: 'ABCDEFGHJK0123456789',
      number: 3,
      kind: 'record',
      issued_at: '2026-11-03T08:00:00.000Z',
    })
    api.refuse(downloadIssued, 'too_many')
    renderScreen(<OwnRecordPage person={trainee} />)
    await user.click(screen.getByRole('button', { name: 'Signed record' }))
    await user.type(await screen.findByLabelText(/^First day/), '2026-11-02')
    await user.type(screen.getByLabelText(/^Last day/), '2026-11-01')
    await user.click(screen.getByRole('button', { name: 'Download PDF' }))
    await screen.findByText('The last day is before the first day.')
    expect(api.callsOf(issueRecord)).toHaveLength(0)
    await user.clear(screen.getByLabelText(/^Last day/))
    await user.type(screen.getByLabelText(/^Last day/), '2026-11-30')
    await user.click(screen.getByRole('button', { name: 'Download PDF' }))
    await screen.findByText(/^The record could not be downloaded/)
    expect(api.callsOf(issueRecord).map(({ body }) => body)).toEqual([{ from: '2026-11-02', until: '2026-11-30' }])
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('ends another session, and all others', async () => {
    api.answer(endOwnSession, { success: true })
    api.answer(endOtherOwnSessions, { success: true, ended_sessions: 2 })
    renderScreen(<OwnRecordPage person={trainee} />)
    const current = (await screen.findByText('Firefox on Windows (this browser)')).closest('li')!
    expect(current.textContent).toContain('from 192.0.2.7')
    expect(within(current).queryByRole('button')).toBeNull()
    await user.click(screen.getByRole('button', { name: /^Sign out Safari on iPhone/ }))
    expect(await screen.findByText('Safari on iPhone is signed out')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Sign out everywhere else' }))
    expect(await screen.findByText('Signed out of 2 other sessions')).toBeTruthy()
  })

  test('keeps the focus with the sessions when the row of the pressed button disappears', async () => {
    const [current] = ownSessions
    api.answer(endOwnSession, () => {
      api.answer(getOwnAccount, { sessions: [current!] })
      return HttpResponse.json({ success: true })
    })
    renderScreen(<OwnRecordPage person={trainee} />)
    const button = await screen.findByRole('button', { name: /^Sign out Safari on iPhone/ })
    button.focus()
    await user.keyboard('{Enter}')
    await waitFor(() => expect(screen.queryByText('Safari on iPhone')).toBeNull())
    expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Where you are signed in' }))
  })

  test('keeps a place for the sessions while they load', async () => {
    api.answer(getOwnAccount, () => new Promise<never>(() => {}))
    renderScreen(<OwnRecordPage person={trainee} />)
    const section = await screen.findByRole('region', { name: 'Where you are signed in' })
    expect(within(section).getByRole('status', { name: 'Loading' })).toBeTruthy()
  })

  test('shows the other parts if one cannot be loaded, and loads it again', async () => {
    api.refuse(countOwnMessages, 'unavailable')
    renderScreen(<OwnRecordPage person={trainee} />)
    expect(await screen.findByText('Couldn’t load a part of your record.')).toBeTruthy()
    expect(await findRow(/^Fire safety/)).toBeTruthy()
    expect(await within(await findRow(/^Chat messages/)).findByText('Not known right now')).toBeTruthy()
    api.answer(countOwnMessages, { rooms: 0, sent: 0, received: 0 })
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    await waitFor(() => expect(screen.queryByText('Couldn’t load a part of your record.')).toBeNull())
    expect(within(await findRow(/^Chat messages/)).getByText('None')).toBeTruthy()
  })

  test('says that superiors see the record of staff who ever had a task', () => {
    const kinds = ['Watched seconds', 'Monitored sessions', 'Signed records']
    for (const role of roles) {
      const ownData = describeStoredData(role, {}).filter(({ kind }) => kinds.some(start => kind.startsWith(start)))
      expect(ownData).toHaveLength(kinds.length)
      const readers =
        role === 'user' ? /^You, your supervisor, / : /^You; if you ever had a task, also .*administrators/
      for (const { visibleTo } of ownData) expect(visibleTo).toMatch(readers)
    }
  })

  test('says that superiors see changed due dates and exceptions', async () => {
    renderScreen(<OwnRecordPage person={trainee} />)
    const row = await findRow(/^Changes of the due dates/)
    within(row).getByText('You, your supervisor, their manager, directors and administrators')
  })

  test('says who reads the comments of each role', () => {
    const readersOf = (role: (typeof roles)[number]) =>
      describeStoredData(role, {}).find(({ kind }) => kind.startsWith('Comments'))!.visibleTo
    for (const role of ['director', 'admin'] as const) expect(readersOf(role)).toMatch(/^Everybody who can watch/)
    for (const role of ['user', 'supervisor', 'manager'] as const)
      expect(readersOf(role)).toMatch(/^You, your team and /)
  })
})

describe('the download of everything', () => {
  /** The files that the page saves. */
  function recordFiles() {
    const files: Blob[] = []
    URL.createObjectURL = blob => {
      files.push(blob as Blob)
      return 'blob:file'
    }
    URL.revokeObjectURL = () => {}
    jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
    return files
  }

  const answerExports = (lastLine: string) => {
    for (const operation of personalDataExports)
      api.answer(operation, () => {
        const lines = [{ kind: operation.service, data: { text: '<b>a & b</b>' } }].map(line => JSON.stringify(line))
        return new Response(`${lines.join('\n')}\n${lastLine}`)
      })
  }

  test('collects all services in one page, in which texts are escaped', async () => {
    const files = recordFiles()
    answerExports('{"kind":"end","data":null}\n')
    renderScreen(<OwnRecordPage person={trainee} />)
    await user.click(await screen.findByRole('button', { name: 'Download everything' }))
    await waitFor(() => expect(files).toHaveLength(1))
    const page = await new Response(files[0]!).text()
    expect(page).toContain('&lt;b&gt;a &amp; b&lt;/b&gt;')
    expect(page.match(/<h2>/g)).toHaveLength(personalDataExports.length)
  })

  test('saves nothing when an answer broke off', async () => {
    const files = recordFiles()
    answerExports('')
    renderScreen(<OwnRecordPage person={trainee} />)
    await user.click(await screen.findByRole('button', { name: 'As JSON' }))
    expect(await screen.findByText(/could not be collected/)).toBeTruthy()
    expect(files).toEqual([])
  })
})

test('the record says who looked at it', async () => {
  renderScreen(<OwnRecordPage person={trainee} />)
  const section = within(await screen.findByRole('region', { name: 'Who looked at my details' }))
  expect(await section.findByText('Manager One')).toBeTruthy()
  expect(section.getByText(/^manager · tasks, exceptions or watch record/)).toBeTruthy()
})
