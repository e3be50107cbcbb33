import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { getDueCalendar } from '@watchline/contracts/internal-operations'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { createManualClock } from '@watchline/testing/manual-clock'
import fc from 'fast-check'
import { composeCalendar } from '../src/actions/compose-calendar.ts'
import { callAs, createPlaybackWorld, createPlaylist, createTeamWithPlaylist, type PlaybackWorld } from './_util.ts'

const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
const path = '/playlists/assigned/calendar'
let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  url = (await world.start({ config: { publicUrl: 'https://watchline.example' } })).url
})
afterAll(() => world.close())

const due = { local: '2026-03-01T17:00', time_zone: 'Europe/Berlin' }

async function download(person: PersonSnapshot, query = '') {
  const response = await callAs(world, url, person).get(path + query)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
  return { ...parseCalendar(response.text), fileName: response.headers.get('content-disposition') }
}

test('the file has an entry for each open task with a due date', async () => {
  const { boss, trainee } = await createTeamWithPlaylist(world, url)
  const [closed, later] = [await createPlaylist(boss), await createPlaylist(boss, { title: 'First aid' })]
  const title = 'Fire safety, part 1; \\ 🔥\nfor everybody who works at the new site in the harbour, every year'
  const playlist = await createPlaylist(boss, { title })
  const assign = (id: string, local: string) =>
    boss.put(`/playlists/${id}/assign`, { assigned_users: [trainee.id], due: { ...due, local } })
  for (const [id, local] of [
    [playlist.id, due.local],
    [later.id, '2026-04-01T17:00'],
    [closed.id, due.local],
  ] as const)
    expect((await assign(id, local)).status).toBe(200)
  await boss.put(`/playlists/${closed.id}/assign/override`, {
    ...{ assigned_users: [trainee.id], action: 'exempt', reason: 'On leave', change_id: randomUUID() },
  })
  const { calendar, events, fileName } = await download(trainee)
  expect(fileName).toBe('attachment; filename="due-dates.ics"')
  expect(calendar).toMatchObject({ VERSION: '2.0', PRODID: expect.stringContaining('Watchline') })
  expect(events.map(({ SUMMARY }) => SUMMARY)).toEqual([title, 'First aid'])
  expect(events[0]).toMatchObject({
    ...{ UID: `${playlist.id}.${trainee.id}@watchline`, DTSTART: '20260301T160000Z', TRANSP: 'TRANSPARENT' },
    DESCRIPTION: `Open the task: https://watchline.example/dashboard?session=${playlist.id}`,
    alarms: [{ ACTION: 'DISPLAY', TRIGGER: '-P1D', DESCRIPTION: title }],
  })
  expect(events[0]).not.toHaveProperty('DTEND')

  const one = await download(trainee, `?playlist_id=${later.id}`)
  expect(one.events.map(({ SUMMARY }) => SUMMARY)).toEqual(['First aid'])
  expect(one.fileName).toBe('attachment; filename="due-date.ics"')
  expect((await download(trainee, `?playlist_id=${closed.id}`)).events).toEqual([])
})

test('a changed due date or title updates the same entry', async () => {
  const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
  const setDue = (local: string) =>
    boss.put(`/playlists/${playlist.id}/assign/due`, { assigned_users: [trainee.id], due: { ...due, local } })
  await setDue(due.local)
  const [before] = (await download(trainee)).events
  clock.advance(1000)
  await setDue('2026-03-02T17:00')
  const [moved] = (await download(trainee)).events
  await boss.put(`/playlists/${playlist.id}`, { title: 'Safety for all', revision: 1 })
  const [renamed] = (await download(trainee)).events
  expect([moved!.UID, renamed!.UID]).toEqual([before!.UID, before!.UID])
  expect([moved!.DTSTART, renamed!.SUMMARY]).toEqual(['20260302T160000Z', 'Safety for all'])
  expect(Number(moved!.SEQUENCE)).toBeGreaterThan(Number(before!.SEQUENCE))
  expect(Number(renamed!.SEQUENCE)).toBeGreaterThan(Number(moved!.SEQUENCE))
  expect(moved!.DTSTAMP! > before!.DTSTAMP!).toBe(true)
})

test('more tasks than fit on a page are all in the file', async () => {
  const { boss, trainee } = await createTeamWithPlaylist(world, url)
  for (let count = 0; count < 120; count += 1) {
    const { id } = await createPlaylist(boss, { title: `Task ${count}` })
    await boss.put(`/playlists/${id}/assign`, { assigned_users: [trainee.id], due })
  }
  expect((await download(trainee)).events).toHaveLength(120)
})

test('without a due date the calendar is empty, and nobody reads that of another person', async () => {
  const { boss, trainee, supervisor, playlist } = await createTeamWithPlaylist(world, url, 2)
  await boss.put(`/playlists/${playlist.id}/assign/due`, { assigned_users: [trainee.id], due })
  const other = world.addPerson('user')
  for (const query of ['', `?playlist_id=${playlist.id}`, '?playlist_id=unknown'])
    expect((await download(other, query)).events).toEqual([])
  for (const person of [supervisor, world.addPerson('manager'), world.addPerson('director'), world.addPerson('admin')])
    expect((await callAs(world, url, person).get(path)).status).toBe(403)
})

test('notification gets the entry of a task for its mails', async () => {
  const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
  const client = createInternalClient({ url, credentials: world.credentialsOf('notification') })
  const find = () => client.find(getDueCalendar, { params: { personId: trainee.id, playlistId: playlist.id } })
  expect(await find()).toBeUndefined()
  await boss.put(`/playlists/${playlist.id}/assign/due`, { assigned_users: [trainee.id], due })
  expect(parseCalendar((await find())!.content).events).toEqual((await download(trainee)).events)
})

test('whatever a title holds, the file is a calendar with that title', () => {
  const dueAt = new Date(clock.now())
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), title => {
      const assignment = { personId: 'p', playlistId: 'list', due: { at: dueAt }, dueChangedAt: dueAt }
      const playlist = { title, revision: 1 }
      const { events } = parseCalendar(composeCalendar([{ assignment, playlist }] as never, undefined))
      expect(events).toHaveLength(1)
      // Line breaks stay; other control characters are spaces.
      const shown = title.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(/(?!\n)\p{Cc}/gu, ' ')
      expect(events[0]!.SUMMARY).toBe(shown.toWellFormed())
    }),
  )
})

type Properties = Record<string, string>
interface CalendarEvent extends Properties {
  // biome-ignore lint/suspicious/noExplicitAny: the alarms stand beside the properties
  alarms: any
}

/**
 * Reads a file by the rules of RFC 5545: CRLF, lines of at most 75 octets, folding, escapes, order.
 */
function parseCalendar(file: string): { calendar: Properties; events: CalendarEvent[] } {
  expect(file.endsWith('\r\n')).toBe(true)
  const lines = file.slice(0, -2).split('\r\n')
  for (const line of lines) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(line).not.toMatch(/[\r\n]/)
    expect(line).not.toMatch(/(?!\t)\p{Cc}/u)
  }
  const calendar: Properties = {}
  const events: CalendarEvent[] = []
  const open: { name: string; properties: Properties }[] = []
  for (const line of lines.join('\r\n').replaceAll('\r\n ', '').split('\r\n')) {
    const [, name, value] = /^([A-Z-]+)(?:;[^:"]*(?:"[^"]*"[^:"]*)*)?:(.*)$/s.exec(line)!
    if (name === 'BEGIN') {
      const event = { alarms: [] } as unknown as CalendarEvent
      const properties = value === 'VCALENDAR' ? calendar : value === 'VEVENT' ? event : {}
      if (value === 'VEVENT') events.push(event)
      if (value === 'VALARM') events.at(-1)!.alarms.push(properties)
      open.push({ name: value!, properties })
    } else if (name === 'END') expect(open.pop()!.name).toBe(value)
    else {
      const { name: component, properties } = open.at(-1)!
      if (component === 'VEVENT') expect(events.at(-1)!.alarms).toEqual([])
      expect(properties).not.toHaveProperty(name!)
      properties[name!] = isText(name!) ? unescapeText(value!) : value!
    }
  }
  expect(open).toEqual([])
  return { calendar, events }
}

const isText = (name: string) => name === 'SUMMARY' || name === 'DESCRIPTION'

function unescapeText(value: string): string {
  expect(value.replace(/\\[\\;,nN]/g, '')).not.toMatch(/[\\;,]/)
  return value.replace(/\\([\\;,nN])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped))
}
