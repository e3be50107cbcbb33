import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getProfile } from '@watchline/contracts/auth'
import {
  exportTeam,
  getEngagementDashboard,
  getTeam,
  getTeamHistory,
  type MemberAnalytics,
} from '@watchline/contracts/engagement'
import { HttpResponse } from 'msw'
import { gateway } from '../../src/api/gateway.ts'
import { TeamAnalytics } from '../../src/features/analytics/team-analytics.tsx'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeMember, makeTeam } from '../support/engagement.ts'
import { createFakeApi, refusal } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const trainee1 = makeMember({
  name: 'Trainee One',
  completion_rate: 83,
  watch_time: 1500,
  completed_videos: 3,
  total_videos: 4,
})
const trainee2 = makeMember({ name: 'Trainee Two', email_verified: false, completion_rate: 61, notes: 2 })
const trainee3 = makeMember({ name: 'Trainee Three', completion_rate: 12, last_activity: null })
const trainee4 = makeMember({
  name: 'Trainee Four',
  completion_rate: 0,
  total_videos: 0,
  completed_videos: 0,
  watch_time: 0,
})
const days = [
  { date: '2026-11-01', completed_videos: 2, completion_rate: 10 },
  { date: '2026-11-02', completed_videos: 5, completion_rate: 39 },
]
const onOpen = jest.fn<(member: MemberAnalytics) => void>()

beforeEach(() => {
  onOpen.mockClear()
  api.answer(getTeam, makeTeam([trainee1, trainee2, trainee3, trainee4]))
  api.answer(getTeamHistory, days)
  api.answer(getEngagementDashboard, [])
})
afterEach(() => {
  cleanup()
  localStorage.clear()
})

const renderAnalytics = () => renderScreen(<TeamAnalytics onOpen={onOpen} />)
const findRow = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement
const figure = (label: string) => screen.getByText(label).parentElement?.textContent
const memberTexts = () =>
  screen.getAllByRole('button', { name: /example\.org/ }).map(button => button.textContent ?? '')

describe('the team', () => {
  test('shows counts, averages, and each member with completion, watch time, videos and last activity', async () => {
    renderAnalytics()
    const row = await findRow('Trainee One')
    within(await findRow('Trainee Two')).getByText('Unverified')
    expect(screen.getAllByText('Unverified')).toHaveLength(1)
    await waitFor(() => expect(figure('Team Members')).toBe('Team Members4trainees, without leaders'))
    await waitFor(() =>
      expect(figure('Average Completion')).toBe('Average Completion39%Low · people without tasks count as 0%'),
    )
    expect(within(row).getByText('25 min')).toBeTruthy()
    expect(within(row).getByText('3/4')).toBeTruthy()
    expect(within(row).getByText('3 of 4 videos completed')).toBeTruthy()
    expect(within(row).getByText('Nov 3, 2026')).toBeTruthy()
    expect(within(await findRow('Trainee Two')).getByText('2 notes')).toBeTruthy()
    expect(within(await findRow('Trainee Three')).getByText('No activity yet')).toBeTruthy()
    expect(within(await findRow('Trainee Four')).getByText('Nothing assigned')).toBeTruthy()
    await screen.findByText('Show as a table')
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test.each([
    [100, 'green', 'high'],
    [80, 'green', 'high'],
    [79.6, 'yellow', 'medium'],
    [60, 'yellow', 'medium'],
    [59.4, 'red', 'low'],
    [0, 'red', 'low'],
  ])('shows %s%% as %s with a word for the band', async (rate, band, bandName) => {
    api.answer(
      getTeam,
      makeTeam([makeMember({ name: 'Trainee One', completion_rate: rate })], { average_completion: 0 }),
    )
    renderAnalytics()
    const progressBar = await screen.findByRole('progressbar', { name: 'Completion of Trainee One' })
    expect(progressBar.querySelector('[data-band]')?.getAttribute('data-band')).toBe(band)
    expect(progressBar.getAttribute('aria-valuetext')).toBe(`${Math.floor(rate)}%, ${bandName}`)
    expect(within(await findRow('Trainee One')).getByText(`${Math.floor(rate)}%`)).toBeTruthy()
  })

  test('shows only the people who are stuck or done, without the history of everybody', async () => {
    const stuck = makeMember({ name: 'Trainee Five', progress: 'stalled' })
    api.answer(getTeam, ({ query }) => makeTeam(query.progress ? [stuck] : [trainee1], { team_count: 900 }))
    renderScreen(<TeamAnalytics onOpen={onOpen} />, { at: '/dashboard?tab=engagement&progress=stalled' })
    await findRow('Trainee Five')
    expect(screen.queryByText('Trainee One')).toBeNull()
    expect(screen.queryByText('Latest watching')).toBeNull()
    await waitFor(() => expect(figure('Team Members')).toBe('Team Members900trainees, without leaders'))
    await user.selectOptions(screen.getByLabelText('Show'), 'Everybody')
    await findRow('Trainee One')
    expect(screen.getByTestId('address').textContent).toBe('/dashboard?tab=engagement')
    expect(await screen.findByText('Latest watching')).toBeTruthy()
    await user.selectOptions(screen.getByLabelText('Show'), 'Done')
    await waitFor(() => expect(api.callsOf(getTeam).at(-1)?.query).toMatchObject({ progress: 'finished' }))
  })

  test('draws a member’s completion as a strip of the credited parts', async () => {
    const credited_parts: [number, number][] = [
      [0, 0.25],
      [0.5, 0.85],
    ]
    api.answer(getTeam, makeTeam([makeMember({ name: 'Trainee One', completion_rate: 60, credited_parts })]))
    renderAnalytics()
    const bar = await screen.findByRole('progressbar', { name: 'Completion of Trainee One' })
    expect(bar.getAttribute('aria-valuetext')).toBe('60%, medium')
    const drawn = [...bar.querySelectorAll<HTMLElement>('[data-band]')].map(part => part.style.cssText)
    expect(drawn).toEqual([expect.stringContaining('width: 25%'), expect.stringContaining('width: 35')])
  })

  test('lists members who need attention first, and offers other orders', async () => {
    renderAnalytics()
    await findRow('Trainee One')
    const readOrder = () =>
      memberTexts().map(text => /(Trainee One|Trainee Two|Trainee Three|Trainee Four)/.exec(text)?.[0])
    expect(readOrder()).toEqual(['Trainee Three', 'Trainee Two', 'Trainee One', 'Trainee Four'])
    await user.selectOptions(screen.getByLabelText('Sort by'), 'Name')
    expect(readOrder()).toEqual(['Trainee Four', 'Trainee One', 'Trainee Three', 'Trainee Two'])
    await user.selectOptions(screen.getByLabelText('Sort by'), 'Last activity, latest first')
    expect(readOrder().at(-1)).toBe('Trainee Three')
  })

  test('is sorted by its column headers, and this browser remembers the order for each person', async () => {
    const render = (personId: string) =>
      renderScreen(
        <ChoiceOwner value={personId}>
          <TeamAnalytics onOpen={onOpen} />
        </ChoiceOwner>,
      )
    const readRates = () =>
      screen.getAllByRole('progressbar').map(progressBar => progressBar.getAttribute('aria-valuenow'))
    const readSort = () => screen.getByRole('button', { name: 'Completion' }).closest('th')?.getAttribute('aria-sort')
    const { unmount } = render('supervisor1')
    await findRow('Trainee One')
    await user.click(screen.getByRole('button', { name: 'Completion' }))
    expect(readRates()).toEqual(['83', '61', '12'])
    expect(readSort()).toBe('descending')
    await user.click(screen.getByRole('button', { name: 'Completion' }))
    expect(readRates()).toEqual(['12', '61', '83'])
    expect(readSort()).toBe('ascending')
    expect(await findAccessibilityFaults()).toEqual([])
    unmount()
    const second = render('supervisor1')
    await findRow('Trainee One')
    expect((screen.getByLabelText('Sort by') as HTMLSelectElement).value).toBe('completionLowest')
    second.unmount()
    render('supervisor2')
    await findRow('Trainee One')
    expect((screen.getByLabelText('Sort by') as HTMLSelectElement).value).toBe('need')
  })

  test('opens a member by mouse and keyboard', async () => {
    renderAnalytics()
    const opener = await screen.findByRole('button', { name: /Trainee Two/ })
    opener.focus()
    await user.keyboard('{Enter}')
    expect(onOpen).toHaveBeenCalledWith(trainee2)
  })

  test('without members says who assigns them', async () => {
    api.answer(getTeam, makeTeam([]))
    renderAnalytics()
    expect(await screen.findByText('No team members assigned')).toBeTruthy()
    expect(screen.getByText('Contact your administrator to assign users to your supervision')).toBeTruthy()
    await waitFor(() => expect(figure('Average Completion')).toBe('Average Completion–'))
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('says what fits a manager, and a choice that matches nobody', async () => {
    api.answer(getTeam, makeTeam([]))
    renderScreen(<TeamAnalytics viewerRole="manager" onOpen={() => {}} />)
    expect(await screen.findByText(/^Trainees appear here once an administrator/)).toBeTruthy()
    await user.selectOptions(screen.getByLabelText('Show'), 'overdue')
    expect(await screen.findByText('Nobody in this team matches your choice.')).toBeTruthy()
  })

  test('is searched and paged on the server, while the figures stay those of the whole team', async () => {
    const teamTotals = { team_count: 51, average_completion: 64 }
    api.answer(getTeam, makeTeam([trainee1], teamTotals), { 'x-total-count': '51', 'x-next-cursor': 'second' })
    renderAnalytics()
    expect(await screen.findByText('1–1 of 51')).toBeTruthy()
    await user.selectOptions(screen.getByLabelText('Sort by'), 'Name')
    await waitFor(() => expect(api.callsOf(getTeam).at(-1)?.query).not.toHaveProperty('sort'))
    api.answer(getTeam, ({ query }) => makeTeam(query.search ? [] : [trainee2], teamTotals), {
      'x-total-count': '51',
    })
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(await screen.findByText('51–51 of 51')).toBeTruthy()
    expect(api.callsOf(getTeam).at(-1)?.query).toMatchObject({ cursor: 'second' })
    await enterText(user, screen.getByLabelText('Search'), 'five')
    expect(await screen.findByText('Nobody found')).toBeTruthy()
    expect(api.callsOf(getTeam).at(-1)?.query).toMatchObject({ search: 'five' })
    expect(api.callsOf(getTeam).at(-1)?.query).not.toHaveProperty('cursor')
    await waitFor(() => expect(figure('Team Members')).toBe('Team Members51trainees, without leaders'))
  })

  test('of several pages is ordered by the server, by select and column headers', async () => {
    api.answer(
      getTeam,
      ({ query }) =>
        makeTeam(query.sort === 'need' ? [trainee1, trainee3] : query.sort ? [trainee2, trainee1] : [trainee4]),
      { 'x-total-count': '51', 'x-next-cursor': 'second' },
    )
    renderAnalytics()
    await findRow('Trainee Three')
    expect(api.callsOf(getTeam).at(-1)?.query).toMatchObject({ sort: 'need', order: 'asc' })
    expect(screen.queryByText('Trainee Four')).toBeNull()
    expect(api.callsOf(getTeam)).toHaveLength(1)
    await user.click(screen.getByRole('button', { name: 'Completion' }))
    await findRow('Trainee Two')
    expect(api.callsOf(getTeam).at(-1)?.query).toMatchObject({ sort: 'completion', order: 'desc' })
    const [first, second] = ['Trainee Two', 'Trainee One'].map(name => screen.getByText(name))
    expect(first!.compareDocumentPosition(second!)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  })

  test('shows no figures if it was never loaded, and can be loaded again', async () => {
    api.refuse(getTeam, 'unavailable')
    renderAnalytics()
    expect(await screen.findByText('Couldn’t load the team’s engagement.')).toBeTruthy()
    await waitFor(() => expect(figure('Team Members')).toBe('Team Members–trainees, without leaders'))
    api.answer(getTeam, makeTeam([trainee1]))
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('Trainee One')).toBeTruthy()
  })

  test('keeps its content after a failure, marked as old', async () => {
    const { store } = renderAnalytics()
    await findRow('Trainee One')
    api.refuse(getTeam, 'unavailable')
    store.dispatch(gateway.util.invalidateTags(['Engagement']))
    expect(await screen.findByText('Showing the last loaded data.')).toBeTruthy()
    expect(screen.getByText('Trainee One')).toBeTruthy()
    await waitFor(() => expect(figure('Team Members')).toBe('Team Members4last known'))
  })
})

describe('the history', () => {
  test('is a chart with a text alternative and a table with the same figures', async () => {
    renderAnalytics()
    const trend = 'From 10% on Nov 1, 2026 to 39% on Nov 2, 2026'
    expect(await screen.findByRole('img', { name: `Line chart of team completion. ${trend}.` })).toBeTruthy()
    const table = screen.getByRole('table', { name: 'Team completion by day', hidden: true }) as HTMLTableElement
    const cells = [...(table.tBodies[0]?.rows ?? [])].map(row => [...row.cells].map(cell => cell.textContent))
    expect(cells).toEqual([
      ['Nov 2, 2026', '39%', '5'],
      ['Nov 1, 2026', '10%', '2'],
    ])
  })

  test('is loaded for the chosen period', async () => {
    renderAnalytics()
    await user.click(await screen.findByRole('radio', { name: '90 days' }))
    await waitFor(() => expect(api.callsOf(getTeamHistory).at(-1)?.query).toEqual({ days: '90' }))
  })

  test('is a chart even if little was watched, so that the average rounds to zero', async () => {
    api.answer(
      getTeamHistory,
      days.map(day => ({ ...day, completed_videos: 0, completion_rate: 0, credited: true })),
    )
    renderAnalytics()
    expect(await screen.findByRole('img', { name: /From 0% on Nov 1, 2026 to 0% on Nov 2, 2026/ })).toBeTruthy()
    expect(screen.queryByText(/Nobody watched/)).toBeNull()
  })

  test.each([undefined, false])('is a sentence while nothing was watched (credited: %s)', async credited => {
    api.answer(
      getTeamHistory,
      days.map(day => ({
        ...day,
        completed_videos: 0,
        completion_rate: 0,
        ...(credited !== undefined && { credited }),
      })),
    )
    renderAnalytics()
    expect(await screen.findByText(/Nobody watched anything in this period/)).toBeTruthy()
  })

  test('does not affect the team if it fails', async () => {
    api.refuse(getTeamHistory, 'unavailable')
    renderAnalytics()
    expect(await screen.findByText('Couldn’t load the history.')).toBeTruthy()
    expect(await findRow('Trainee One')).toBeTruthy()
  })
})

describe('the export', () => {
  const savedFiles: { name: string; file: Blob }[] = []

  beforeEach(() => {
    savedFiles.length = 0
    const files = new Map<string, Blob>()
    URL.createObjectURL = file => {
      const url = `blob:${files.size}`
      files.set(url, file as Blob)
      return url
    }
    URL.revokeObjectURL = () => {}
    jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      savedFiles.push({ name: this.download, file: files.get(this.href) as Blob })
    })
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  const makeCsvResponse = (headers: Record<string, string> = {}) =>
    new HttpResponse('\uFEFFname\r\nTrainee One', { headers: { 'content-type': 'text/csv', ...headers } })
  const findLink = () => screen.getByRole('link', { name: 'Export CSV' })

  test('is a plain link that saves the file under the server’s name', async () => {
    api.answer(exportTeam, makeCsvResponse({ 'content-disposition': 'attachment; filename="team.csv"' }))
    renderAnalytics()
    expect(findLink().getAttribute('href')).toBe('/api/engagement/export')
    expect(findLink().hasAttribute('download')).toBe(true)
    await user.click(findLink())
    await waitFor(() => expect(savedFiles.map(({ name }) => name)).toEqual(['team.csv']))
    const bytes = new Uint8Array((await savedFiles[0]?.file.arrayBuffer()) ?? new ArrayBuffer(0))
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  })

  test('refreshes an expired session first', async () => {
    let attempts = 0
    api.answer(exportTeam, () => {
      attempts += 1
      return attempts === 1 ? refusal('token_expired') : makeCsvResponse()
    })
    api.answer(getProfile, makeUser())
    renderAnalytics()
    await user.click(findLink())
    await waitFor(() => expect(savedFiles).toHaveLength(1))
    expect(savedFiles[0]?.name).toMatch(/^watchline-team-\d{4}-\d\d-\d\d\.csv$/)
  })

  test('reports a failure with its reason and saves nothing', async () => {
    api.refuse(exportTeam, 'unavailable', 'The service is away.')
    renderAnalytics()
    await user.click(findLink())
    const alert = await screen.findByText('The export could not be downloaded. Please try again.')
    expect(alert.closest('[role=alert]')?.textContent).toContain('The service is away.')
    expect(savedFiles).toEqual([])
    expect(findLink()).toBeTruthy()
  })

  test('reports a lost connection', async () => {
    api.cut(exportTeam)
    renderAnalytics()
    await user.click(findLink())
    expect(await screen.findByText('The export could not be downloaded. Please try again.')).toBeTruthy()
    expect(savedFiles).toEqual([])
  })
})
