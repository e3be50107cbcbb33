import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { roles } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import {
  assignPlaylist,
  type Caller,
  callAs,
  createPlaybackWorld,
  createPlaylist,
  type PlaybackWorld,
} from './_util.ts'

let world: PlaybackWorld
let url: string
/** The base URL of a second replica with caches of its own. */
let secondUrl: string
beforeAll(async () => {
  world = await createPlaybackWorld()
  url = (await world.start()).url
  secondUrl = (await world.start()).url
})
afterAll(() => world.close())

describe('sharePlaylistWith and unsharePlaylist', () => {
  function anOrganisation() {
    const manager = world.person('manager')
    const supervisors = [1, 2].map(() => world.person('supervisor', { manager_id: manager.id }))
    return { manager, chief: callAs(world, url, manager), supervisors }
  }
  const share = (who: Caller, id: string, ...people: { id: string }[]) =>
    who.put(`/playlists/${id}/share`, { supervisor_ids: people.map(person => person.id) })
  const unshare = (who: Caller, id: string, ...people: { id: string }[]) =>
    who.delete(`/playlists/${id}/share`, { supervisor_ids: people.map(person => person.id) })

  test('adds supervisors, removes none and publishes only the new ones', async () => {
    const { manager, chief, supervisors } = anOrganisation()
    const [one, two] = supervisors as [(typeof supervisors)[0], (typeof supervisors)[0]]
    const playlist = await createPlaylist(chief)
    const first = await share(chief, playlist.id, one, one)
    expect([first.status, first.json.shared_with, first.json.revision]).toEqual([200, [one.id], 2])
    expect((await share(chief, playlist.id, one)).json.revision).toBe(2)
    expect((await share(chief, playlist.id, one, two)).json.shared_with).toEqual([one.id, two.id])
    for (const person of supervisors) {
      const [task] = (await callAs(world, secondUrl, person).get('/supervisor/tasks')).json
      expect(task).toMatchObject({ id: playlist.id, created_by: manager.id, shared_with: [person.id] })
    }
    await eventually(() => {
      const sharedEvents = world.of('playlist.shared').filter(event => event.playlist_id === playlist.id)
      expect(sharedEvents.map(event => event.shared_with)).toEqual([[one.id], [two.id]])
      const changed = world.of('playlist.changed').filter(event => event.playlist_id === playlist.id)
      expect(changed.map(event => event.shared_with)).toEqual([[one.id], [one.id, two.id]])
    })
  })

  test('removes the share and keeps the assignments', async () => {
    const { chief, supervisors } = anOrganisation()
    const [one, two] = supervisors as [(typeof supervisors)[0], (typeof supervisors)[0]]
    const trainee = world.person('user', { supervisor_id: one.id })
    const playlist = await createPlaylist(chief)
    await share(chief, playlist.id, one, two)
    await assignPlaylist(callAs(world, url, one), playlist.id, trainee)
    expect((await unshare(chief, playlist.id, one)).json.shared_with).toEqual([two.id])
    expect((await unshare(chief, playlist.id, one)).json.revision).toBe(3)
    expect((await callAs(world, url, one).get('/supervisor/tasks')).json).toEqual([])
    expect((await callAs(world, url, trainee).get('/playlists/today')).json).toMatchObject({ id: playlist.id })
  })

  test('ends the monitored session of a supervisor who watches the playlist', async () => {
    const { chief, supervisors } = anOrganisation()
    const playlist = await createPlaylist(chief)
    await share(chief, playlist.id, ...supervisors)
    const [one, two] = supervisors.map(person => callAs(world, url, person)) as [Caller, Caller]
    for (const person of [one, two]) {
      const body = { is_monitoring: true, playlist_id: playlist.id }
      expect((await person.post('/session/monitoring', body)).status).toBe(200)
    }
    await unshare(chief, playlist.id, supervisors[0]!)
    expect((await one.post('/session/heartbeat')).status).toBe(409)
    expect((await two.post('/session/heartbeat')).status).toBe(200)
  })

  test('with anybody but own supervisors answers 403 and shares with nobody', async () => {
    const { chief, supervisors } = anOrganisation()
    const playlist = await createPlaylist(chief)
    for (const outsider of [
      world.person('supervisor'),
      world.person('supervisor', { manager_id: world.person('manager').id }),
      world.person('user', { supervisor_id: supervisors[0]!.id }),
      world.person('director'),
      { id: '0123456789abcdef01234567' },
    ]) {
      const answer = await share(chief, playlist.id, supervisors[0]!, outsider)
      expect([answer.status, answer.json.code]).toEqual([403, 'outside_team'])
      expect((await unshare(chief, playlist.id, outsider)).status).toBe(403)
    }
    expect((await callAs(world, url, supervisors[0]!).get('/supervisor/tasks')).json).toEqual([])
  })

  test('a supervisor whose request has just been approved is accepted', async () => {
    const { manager, chief } = anOrganisation()
    const joins = world.person('supervisor')
    await callAs(world, url, joins).get('/supervisor/tasks')
    const playlist = await createPlaylist(chief)
    expect((await share(chief, playlist.id, joins)).status).toBe(403)
    world.change(joins, { manager_id: manager.id })
    expect((await share(chief, playlist.id, joins)).json.shared_with).toEqual([joins.id])
  })

  test.each(roles)('a %s shares their own playlist, and another owner’s, by role', async role => {
    const { chief, supervisors } = anOrganisation()
    const foreign = await createPlaylist(chief)
    const somebody = callAs(world, url, world.person(role))
    const expected = role === 'manager' ? 404 : 403
    expect((await share(somebody, foreign.id, supervisors[0]!)).status).toBe(expected)
    expect((await unshare(somebody, foreign.id, supervisors[0]!)).status).toBe(expected)
    expect((await share(chief, foreign.id, supervisors[0]!)).status).toBe(200)
  })

  test.each([
    ['nobody', { supervisor_ids: [] }],
    ['no list', {}],
    ['objects', { supervisor_ids: [{ $ne: '' }] }],
    ['too many', { supervisor_ids: Array.from({ length: 201 }, (_, index) => `s${index}`) }],
  ])('refuses %s', async (_what, body) => {
    const { chief } = anOrganisation()
    const playlist = await createPlaylist(chief)
    expect((await chief.put(`/playlists/${playlist.id}/share`, body)).status).toBe(422)
    expect((await chief.delete(`/playlists/${playlist.id}/share`, body)).status).toBe(422)
  })

  test('a supervisor can assign a shared playlist, and cannot edit, delete or share it', async () => {
    const { chief, supervisors } = anOrganisation()
    const playlist = await createPlaylist(chief)
    await share(chief, playlist.id, ...supervisors)
    const boss = callAs(world, url, supervisors[0]!)
    await assignPlaylist(boss, playlist.id, world.person('user', { supervisor_id: supervisors[0]!.id }))
    expect((await boss.put(`/playlists/${playlist.id}`, { title: 'Edited' })).status).toBe(404)
    expect((await boss.delete(`/playlists/${playlist.id}`)).status).toBe(404)
    expect((await share(boss, playlist.id, supervisors[1]!)).status).toBe(403)
  })
})
