import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import {
  assignPlaylist,
  type Caller,
  callAs,
  collectionOf,
  completeTask,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
} from './_util.ts'

const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
const hour = 3600_000
let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  url = (await world.start({ config: { timeZone: 'Europe/Berlin' } })).url
})
afterAll(() => world.close())

const assignDue = (caller: Caller, playlist: { id: string }, people: { id: string }[], due: unknown) =>
  caller.put(`/playlists/${playlist.id}/assign`, { assigned_users: people.map(({ id }) => id), due })
const setDue = (caller: Caller, playlist: { id: string }, people: { id: string }[], due: unknown) =>
  caller.put(`/playlists/${playlist.id}/assign/due`, { assigned_users: people.map(({ id }) => id), due })
const todayOf = async (person: Parameters<typeof callAs>[2]) =>
  (await callAs(world, url, person).get('/playlists/today')).json
const complete = (personId: string, playlistId: string) => completeTask(world, personId, playlistId, clock.now())
const changesOf = (person: { id: string }) =>
  collectionOf(world, 'assignment_changes').find({ person_id: person.id }).sort({ at: 1, _id: 1 }).toArray()

describe('a due date', () => {
  test('is a local time of the organisation, or of a given time zone, and the event names it', async () => {
    const { boss, team } = await createTeamWithPlaylist(world, url, 2)
    const playlist = await createPlaylist(boss)
    expect((await assignDue(boss, playlist, [team[0]!], { local: '2026-07-01T17:00' })).status).toBe(200)
    const elsewhere = { local: '2026-07-01T17:00', time_zone: 'Asia/Kolkata' }
    expect((await assignDue(boss, playlist, [team[1]!], elsewhere)).status).toBe(200)
    const inBerlin = { at: '2026-07-01T15:00:00.000Z', local: '2026-07-01T17:00', time_zone: 'Europe/Berlin' }
    expect((await todayOf(team[0]!)).due).toEqual(inBerlin)
    expect((await todayOf(team[1]!)).due).toMatchObject({ at: '2026-07-01T11:30:00.000Z', time_zone: 'Asia/Kolkata' })
    await eventually(() =>
      expect(world.of('playlist.assigned').filter(({ playlist_id }) => playlist_id === playlist.id)).toMatchObject([
        { assigned: [team[0]!.id], due: inBerlin },
        { assigned: [team[1]!.id], due: elsewhere },
      ]),
    )
  })

  test.each([
    ['in the past', { local: '2026-01-05T09:59' }, 'due.local'],
    ['more than ten years ahead', { local: '2037-01-05T09:59' }, 'due.local'],
    ['on a date that does not exist', { local: '2027-02-29T09:00' }, 'due.local'],
    ['with an offset', { local: '2027-02-28T09:00Z' }, 'due.local'],
    ['with seconds', { local: '2027-02-28T09:00:00' }, 'due.local'],
    ['in an unknown time zone', { local: '2027-02-28T09:00', time_zone: 'Atlantis/Capital' }, 'due.time_zone'],
  ])('%s is refused with its field, and nobody gets the task', async (_case, due, field) => {
    const { boss, trainee, playlist: assigned } = await createTeamWithPlaylist(world, url)
    const playlist = await createPlaylist(boss)
    for (const answer of [
      await assignDue(boss, playlist, [trainee], due),
      await setDue(boss, assigned, [trainee], due),
    ]) {
      expect(answer.status).toBe(422)
      expect(answer.json.errors).toMatchObject([{ path: field }])
    }
    expect(await todayOf(trainee)).toMatchObject({ id: assigned.id, due: null })
  })

  test('makes a task the most urgent one, by its instant and not by its assignment', async () => {
    const { supervisor, boss, trainee, playlist: first } = await createTeamWithPlaylist(world, url)
    const [later, sooner, none] = [await createPlaylist(boss), await createPlaylist(boss), await createPlaylist(boss)]
    await assignDue(boss, sooner, [trainee], { local: '2026-03-01T12:00', time_zone: 'Asia/Kolkata' })
    clock.advance(1_000)
    await assignDue(boss, later, [trainee], { local: '2026-03-01T12:00', time_zone: 'America/New_York' })
    clock.advance(1_000)
    await assignPlaylist(boss, none.id, trainee)
    const reminded = async () =>
      (await callAs(world, url, supervisor).post('/playlists/today/remind', { user_ids: [trainee.id] })).json
        .reminders[0].playlist_id
    for (const playlist of [sooner, later, none, first]) {
      expect((await todayOf(trainee)).id).toBe(playlist.id)
      expect(await reminded()).toBe(playlist.id)
      await complete(trainee.id, playlist.id)
      // Reminders are limited to one a day.
      clock.advance(25 * hour)
    }
  })

  test('is changed and removed for open assignments only, once, with a trace of who did it', async () => {
    const { supervisor, boss, team, playlist } = await createTeamWithPlaylist(world, url, 3)
    const [open, done, stranger] = [team[0]!, team[1]!, world.addPerson('user', { supervisor_id: supervisor.id })]
    await complete(done.id, playlist.id)
    const due = { local: '2026-09-01T08:00', time_zone: 'Europe/Berlin' }
    const stored = { ...due, at: '2026-09-01T06:00:00.000Z' }
    const people = [open, done, stranger]
    const answers = await Promise.all([setDue(boss, playlist, people, due), setDue(boss, playlist, people, due)])
    expect(answers.map(({ status, json }) => [status, json.changed]).sort()).toEqual([
      [200, 0],
      [200, 1],
    ])
    expect(await todayOf(open)).toMatchObject({ id: playlist.id, due: stored })
    expect(await todayOf(done)).toMatchObject({ due: null })
    expect(await todayOf(stranger)).toBeNull()
    expect((await setDue(boss, playlist, people, null)).json.changed).toBe(1)
    expect(await todayOf(open)).toMatchObject({ due: null })
    expect(await changesOf(open)).toMatchObject([
      { playlist_id: playlist.id, by: supervisor.id, before: { due: null }, after: { due: stored } },
      { playlist_id: playlist.id, by: supervisor.id, before: { due: stored }, after: { due: null } },
    ])
    await eventually(() =>
      expect(world.of('assignment.due_changed').filter(({ playlist_id }) => playlist_id === playlist.id)).toMatchObject(
        [
          { changed: [open.id], due: stored, by: supervisor.id },
          { changed: [open.id], due: null, by: supervisor.id },
        ],
      ),
    )
  })

  test('keeps the reason of its change with the first of two equal calls, in the event and in the own data', async () => {
    const { supervisor, boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const change = (fields: object) =>
      boss.put(`/playlists/${playlist.id}/assign/due`, { assigned_users: [trainee.id], ...fields })
    const due = { local: '2026-09-01T08:00' }
    const answers = await Promise.all([change({ due, reason: ' Ill ' }), change({ due, reason: ' Ill ' })])
    expect(answers.map(({ status, json }) => [status, json.changed]).sort()).toEqual([
      [200, 0],
      [200, 1],
    ])
    expect((await change({ due, reason: 'Another one' })).json.changed).toBe(0)
    expect((await change({ due: null, reason: '  ' })).json.changed).toBe(1)
    expect((await changesOf(trainee)).map(({ by, reason }) => [by, reason])).toEqual([
      [supervisor.id, 'Ill'],
      [supervisor.id, undefined],
    ])
    await eventually(() =>
      expect(
        world
          .of('assignment.due_changed')
          .filter(({ playlist_id }) => playlist_id === playlist.id)
          .map(({ reason }) => reason),
      ).toEqual(['Ill', undefined]),
    )
    const exported = await callAs(world, url, trainee).get('/session/record/data')
    expect(exported.text).toContain('"reason":"Ill"')

    await world.publish('user.erased', makeErasure(trainee))
    await eventually(async () => {
      expect((await changesOf(trainee)).map(({ reason }) => reason)).toEqual(['', undefined])
      const events = await collectionOf(world, 'outbox').find({ 'event.type': 'assignment.due_changed' }).toArray()
      expect(JSON.stringify(events)).not.toContain('Ill')
    })
  })

  test.each([
    ['that is too long', 'x'.repeat(limits.reasonMaxLength + 1)],
    ['with a control character', 'Ill\u0007'],
    ['that is no text', 7],
  ])('stays as it is if its change has a reason %s', async (_case, reason) => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const body = { assigned_users: [trainee.id], due: { local: '2026-09-01T08:00' }, reason }
    const answer = await boss.put(`/playlists/${playlist.id}/assign/due`, body)
    expect(answer.status).toBe(422)
    expect(answer.json.errors).toMatchObject([{ path: 'reason' }])
    expect(await todayOf(trainee)).toMatchObject({ due: null })
    expect(await changesOf(trainee)).toEqual([])
    // A reason alone changes nothing, and another supervisor may give none.
    const reasonAlone = { assigned_users: [trainee.id], reason: 'Ill' }
    expect((await boss.put(`/playlists/${playlist.id}/assign/due`, reasonAlone)).status).toBe(422)
    const stranger = callAs(world, url, world.addPerson('supervisor'))
    const valid = { ...body, reason: 'Ill' }
    expect((await stranger.put(`/playlists/${playlist.id}/assign/due`, valid)).status).toBe(404)
    expect(await changesOf(trainee)).toEqual([])
  })

  test('puts open tasks in order: by due date, then the latest ones without, page by page', async () => {
    const { boss, trainee, playlist: oldest } = await createTeamWithPlaylist(world, url)
    const assignNext = async (due?: string) => {
      clock.advance(1_000)
      const playlist = await createPlaylist(boss)
      await assignDue(boss, playlist, [trainee], due && { local: due })
      return playlist.id
    }
    const june = await assignNext('2026-06-01T12:00')
    const latest = await assignNext()
    const may = await assignNext('2026-05-01T12:00')
    const sameTime = [await assignNext('2026-07-01T12:00'), await assignNext('2026-07-01T12:00')].sort()
    const ids = [may, june, ...sameTime, latest, oldest.id]
    const me = callAs(world, url, trainee)
    for (const limit of [1, 2, 3, 6]) {
      const found: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const answer = await me.get(`/playlists/assigned?status=open&limit=${limit}${cursor && `&cursor=${cursor}`}`)
        expect(answer.headers.get('x-total-count')).toBe('6')
        found.push(...answer.json.map(({ id }: { id: string }) => id))
        cursor = answer.headers.get('x-next-cursor')
      }
      expect(found).toEqual(ids)
    }
    for (const id of ids) {
      expect((await todayOf(trainee)).id).toBe(id)
      await complete(trainee.id, id)
    }
    expect((await me.get('/playlists/assigned?status=open&cursor=e30')).status).toBe(422)
  })

  test('is listed for each person who has the playlist, to those who may assign it', async () => {
    const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 3)
    const other = await createTeamWithPlaylist(world, url)
    const director = callAs(world, url, world.addPerson('director'))
    await director.put(`/playlists/${playlist.id}/assign`, { assigned_users: [other.trainee.id] })
    await setDue(boss, playlist, [team[0]!], { local: '2026-09-01T08:00' })
    await complete(team[1]!.id, playlist.id)
    const assigneesFor = async (caller: Caller, query = '') =>
      (await caller.get(`/playlists/${playlist.id}/assign${query}`)).json
    const byPerson = (people: { id: string }[]) => people.map(({ id }) => id).sort()
    const own = await assigneesFor(boss)
    expect(own.map(({ user_id }: { user_id: string }) => user_id)).toEqual(byPerson(team))
    expect(own).toContainEqual(
      expect.objectContaining({
        user_id: team[0]!.id,
        status: 'assigned',
        due: expect.objectContaining({ local: '2026-09-01T08:00' }),
      }),
    )
    expect(own).toContainEqual(
      expect.objectContaining({
        user_id: team[1]!.id,
        status: 'completed',
        completed_at: expect.any(String),
        due: null,
      }),
    )
    const first = await director.get(`/playlists/${playlist.id}/assign?limit=3`)
    expect(first.headers.get('x-total-count')).toBe('4')
    const rest = await assigneesFor(director, `?limit=3&cursor=${first.headers.get('x-next-cursor')}`)
    expect([...first.json, ...rest].map(({ user_id }) => user_id)).toEqual(byPerson([...team, other.trainee]))
    expect(await assigneesFor(other.boss)).toMatchObject([{ user_id: other.trainee.id }])
    const strangers = await createTeamWithPlaylist(world, url)
    expect((await strangers.boss.get(`/playlists/${playlist.id}/assign`)).status).toBe(404)
    expect((await callAs(world, url, team[0]!).get(`/playlists/${playlist.id}/assign`)).status).toBe(403)
  })

  test('stays when the same playlist is assigned again', async () => {
    const { boss, trainee } = await createTeamWithPlaylist(world, url)
    const playlist = await createPlaylist(boss)
    await assignDue(boss, playlist, [trainee], { local: '2026-07-01T17:00' })
    expect((await assignDue(boss, playlist, [trainee], { local: '2026-08-01T17:00' })).json.assigned).toBe(0)
    await assignPlaylist(boss, playlist.id, trainee)
    expect((await todayOf(trainee)).due.local).toBe('2026-07-01T17:00')
  })
})
