import { expect, test } from '@jest/globals'
import { personalDataKinds } from '@watchline/contracts/privacy'
import { formatPersonalDataHtml } from '../../../src/ui/people/personal-data-html.ts'

const playlistId = '5051d648ddc142c2c8b54f0d'
const at = new Date(2026, 10, 25, 14, 5)

/** The texts of the page's entries: `Name: value`. */
function readEntries(data: Record<string, unknown[]>): string[] {
  const page = new DOMParser().parseFromString(formatPersonalDataHtml(data, at), 'text/html')
  return [...page.querySelectorAll('dt')].map(
    term => `${term.textContent}: ${term.nextElementSibling?.textContent?.trim()}`,
  )
}

test('the page shows times, positions and answers as the screens do', () => {
  const created = new Date(2026, 10, 3, 9, 30).toISOString()
  expect(
    readEntries({
      account: [{ name: 'Trainee One', email_verified: true, created_at: created, picture: null, teams: [] }],
      comments: [{ timestamp: 71.5, text: 'Why?' }],
      watch_record: [{ completion_rate: 78.9, watched: [[0, 130.2]], watch_time: 192 }],
      audit_entries: [{ action: 'role_changed' }],
    }),
  ).toEqual([
    'Name: Trainee One',
    'Email verified: yes',
    'Created at: Nov 3, 2026, 9:30 AM',
    'Action: role changed',
    'Completion rate: 78%',
    'Watched: 0:00 to 2:10',
    'Watch time: 3 min',
    'Timestamp: 1:11',
    'Text: Why?',
  ])
})

test('the page shows names in place of ids that it knows, and leaves out the others', () => {
  const supervisorId = '6b06476754437bed7a1b005c'
  const other = 'ffffffffffffffffffffffff'
  expect(
    readEntries({
      tasks: [{ _id: `a:${playlistId}`, playlist_id: playlistId, assigned_by: supervisorId }],
      positions: [{ playlist_id: other, video_id: 'fire-safety', positions: { 'fire-safety': 3 } }],
      watch_record: [
        { playlist_id: playlistId, title: 'Safety', videos: [{ video_id: 'fire-safety', title: 'Fire', duration: 9 }] },
      ],
      audit_entries: [{ after: { supervisor_id: supervisorId, supervisor_name: 'Supervisor One' } }],
    }),
  ).toEqual([
    'After: SupervisorSupervisor One',
    'Supervisor: Supervisor One',
    'Playlist: Safety',
    'Assigned by: Supervisor One',
    'Video: Fire',
    'Positions: Fire0:03',
    'Fire: 0:03',
    'Playlist: Safety',
    'Title: Safety',
    'Videos: TitleFireDuration0:09',
    'Title: Fire',
    'Duration: 0:09',
  ])
})

test('the page has a heading in words for every kind of data that the services export', () => {
  const data = Object.fromEntries(personalDataKinds.map(kind => [kind, []]))
  const page = new DOMParser().parseFromString(formatPersonalDataHtml({ ...data, zz_unknown: [] }, at), 'text/html')
  const headings = [...page.querySelectorAll('h2')].map(heading => heading.textContent)
  // A kind without a heading comes after all others, and shows its own name.
  expect(headings).toHaveLength(personalDataKinds.length + 1)
  expect(new Set(headings).size).toBe(headings.length)
  expect(headings.at(-1)).toBe('Zz unknown (0)')
  for (const heading of ['Mails to you', 'Which mails you get', 'Mails that could not be delivered'])
    expect(headings).toContain(`${heading} (0)`)
  for (const name of ['Mails', 'Mail choices', 'Bounces', 'Failed sign ins', 'Former leaders'])
    expect(headings).not.toContain(`${name} (0)`)
})
