import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getMember } from '@watchline/contracts/engagement'
import { useState } from 'react'
import { gateway } from '../../src/api/gateway.ts'
import { MemberDrawer } from '../../src/features/analytics/member-drawer.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeMember, makePlaylistWatch, makeVideoWatch } from '../support/engagement.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const trainee1 = makeMember({ name: 'Trainee One', watch_time: 1500, completed_videos: 1, total_videos: 3, notes: 4 })
const completedVideo = makeVideoWatch({
  title: 'Exits',
  completion_rate: 100,
  completed: true,
  completed_at: '2026-11-03T12:00:00.000Z',
  watch_time: 320,
  watched: [[0, 300]],
  missing: [],
  last_updated: '2026-11-03T12:00:00.000Z',
})
const partlyWatchedVideo = makeVideoWatch({
  title: 'Extinguishers',
  completion_rate: 70,
  watch_time: 210,
  watched: [
    [0, 130],
    [185, 265],
  ],
  missing: [
    [130, 185],
    [265, 300],
  ],
  notes: [
    { code: 'skipped', times: 3, seconds: 90 },
    { code: 'too_fast', times: 1, seconds: 20.4 },
    { code: 'hidden', times: 2, seconds: 65 },
    { code: 'elsewhere', times: 1, seconds: 10 },
  ],
})
const unavailableVideo = makeVideoWatch({ title: 'Gone', unavailable: true })
const unwatchedVideo = makeVideoWatch({ title: 'Alarms' })

function Screen() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open Trainee One
      </button>
      <MemberDrawer member={isOpen ? trainee1 : undefined} onClose={() => setOpen(false)} />
    </>
  )
}

async function openDrawer() {
  const rendered = renderScreen(<Screen />)
  await user.click(screen.getByRole('button', { name: 'Open Trainee One' }))
  return { ...rendered, panel: await screen.findByRole('dialog', { name: 'Trainee One' }) }
}

test('names the due date of each open task, so that the overdue one is found', async () => {
  const terms = { due: '2026-11-02T17:00:00.000Z', grace_until: '2026-11-03T17:00:00.000Z' }
  const playlists = [makePlaylistWatch([], { title: 'Safety', ...terms }), makePlaylistWatch([], { title: 'Service' })]
  api.answer(getMember, { member: trainee1, playlists })
  await openDrawer()
  const title = await screen.findByText('Safety')
  expect(within(title.closest('summary')!).getByText(/^Overdue since/)).toBeTruthy()
  expect(within(screen.getByText('Service').closest('summary')!).queryByText(/due/i)).toBeNull()
})

const findVideo = async (title: string) => (await screen.findByText(title)).closest('li') as HTMLElement

beforeEach(() => {
  api.answer(getMember, {
    member: trainee1,
    playlists: [
      makePlaylistWatch([completedVideo, partlyWatchedVideo, unavailableVideo], { title: 'Fire safety' }),
      makePlaylistWatch([unwatchedVideo], { title: 'First aid', completed: false }),
    ],
  })
})
afterEach(cleanup)

test('the drawer marks an address that nobody has verified', async () => {
  api.answer(getMember, { member: { ...trainee1, email_verified: false }, playlists: [] })
  const { panel } = await openDrawer()
  expect(await within(panel).findByText(/^Unverified/)).toBeTruthy()
})

test('the drawer shows every playlist and video with strip, percentage and missing ranges in words', async () => {
  const { panel } = await openDrawer()
  expect(await within(panel).findByText('Fire safety')).toBeTruthy()
  expect(api.callsOf(getMember)[0]?.params).toMatchObject({ userId: trainee1.user_id })
  expect(within(panel).getByText(trainee1.email)).toBeTruthy()
  expect(within(panel).queryByText(/^Unverified/)).toBeNull()
  expect(within(panel).getByText('25 min')).toBeTruthy()
  expect(within(panel).getByText('1 of 2 videos completed')).toBeTruthy()
  const video = within(await findVideo('Extinguishers'))
  const strip = video.getByRole('img')
  expect(strip.getAttribute('aria-label')).toBe('Extinguishers: 70% watched; missing 2:10 to 3:05, 4:25 to 5:00')
  expect(video.getByText('70%')).toBeTruthy()
  expect(video.getByText('Missing 2:10 to 3:05 and 4:25 to 5:00')).toBeTruthy()
  const completedItem = within(await findVideo('Exits'))
  expect(completedItem.getByText('Completed')).toBeTruthy()
  expect(completedItem.getByText(/Nothing is missing/)).toBeTruthy()
  expect(within(await findVideo('Gone')).getByText('Cannot be played')).toBeTruthy()
  expect(within(await findVideo('Alarms')).getByText('Not watched yet')).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
})

test('the drawer explains integrity notes in plain words, as signals', async () => {
  await openDrawer()
  const notes = await screen.findByRole('list', { name: 'Integrity notes: Extinguishers' })
  expect(
    within(notes)
      .getAllByRole('listitem')
      .map(item => item.textContent),
  ).toEqual([
    'Skipped ahead 3 times: 1:30 min not played',
    'Reported too fast once: 20 s reported faster than it can be watched',
    'Hidden 2 times: 1:05 min played while the page was not visible',
    'Elsewhere once: 10 s reported outside the monitored session',
  ])
  expect(screen.getByText('Notes are signals, not verdicts.')).toBeTruthy()
})

test('the drawer marks removed videos and deleted playlists', async () => {
  const removedVideo = makeVideoWatch({ ...partlyWatchedVideo, title: 'Ladders', notes: [], removed: true })
  api.answer(getMember, {
    member: trainee1,
    playlists: [
      makePlaylistWatch([completedVideo, removedVideo], { title: 'Fire safety' }),
      makePlaylistWatch([unwatchedVideo], { title: 'First aid', deleted: true }),
    ],
  })
  await openDrawer()
  const video = within(await findVideo('Ladders'))
  expect(video.getByText('Removed from the playlist')).toBeTruthy()
  expect(video.getByText('70%')).toBeTruthy()
  expect(video.getByText(/This video does not count in the playlist’s completion/)).toBeTruthy()
  expect(video.queryByText(/Missing/)).toBeNull()
  expect(within(await findVideo('Exits')).queryByText('Removed from the playlist')).toBeNull()
  const findSummary = (title: string) => within(screen.getByText(title).closest('summary') as HTMLElement)
  expect(findSummary('First aid').getByText('Deleted')).toBeTruthy()
  expect(findSummary('Fire safety').queryByText('Deleted')).toBeNull()
  expect(await findAccessibilityFaults()).toEqual([])
})

test('the drawer has no explanation of notes if there are none', async () => {
  api.answer(getMember, { member: { ...trainee1, notes: 0 }, playlists: [makePlaylistWatch([completedVideo])] })
  await openDrawer()
  await screen.findByText('Exits')
  expect(screen.queryByText('Notes are signals, not verdicts.')).toBeNull()
})

test('the drawer names a limited number of gaps', async () => {
  const gaps = Array.from({ length: 9 }, (_, index): [number, number] => [index * 30, index * 30 + 10])
  const watchedRanges = gaps.map(([from]): [number, number] => [from + 10, from + 30])
  const video = makeVideoWatch({ title: 'Patchwork', missing: gaps, watched: watchedRanges, completion_rate: 60 })
  api.answer(getMember, { member: trainee1, playlists: [makePlaylistWatch([video])] })
  await openDrawer()
  expect(await screen.findByText(/2:30 to 2:40 and 3 more parts$/)).toBeTruthy()
})

test('the drawer explains its purpose while there are no playlists', async () => {
  api.answer(getMember, { member: trainee1, playlists: [] })
  await openDrawer()
  expect(await screen.findByText('No playlists yet')).toBeTruthy()
})

test('the drawer closes with Escape and returns the focus', async () => {
  await openDrawer()
  await screen.findByText('Fire safety')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Open Trainee One' })))
})

test('the drawer can be loaded again after a failure, and keeps earlier content, marked as old', async () => {
  api.refuse(getMember, 'unavailable')
  const { store } = await openDrawer()
  expect(await screen.findByText('Couldn’t load this person’s watched videos.')).toBeTruthy()
  api.answer(getMember, { member: trainee1, playlists: [makePlaylistWatch([completedVideo])] })
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByText('Exits')).toBeTruthy()
  api.refuse(getMember, 'not_found')
  store.dispatch(gateway.util.invalidateTags(['Engagement']))
  expect(await screen.findByText('Showing the last loaded data.')).toBeTruthy()
  expect(screen.getByText('Exits')).toBeTruthy()
})
