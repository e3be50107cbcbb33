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
  function createManagerWithSupervisors() {
    const manager = world.addPerson('manager')
    const supervisors = [1, 2].map(() => world.addPerson('supervisor', { manager_id: manager.id }))
    return { manager, chief: callAs(world, url, manager), supervisors }
  }
  const share = (caller: Caller, id: string, ...people: { id: string }[]) =>
    caller.put(`/playlists/${id}/share`, { supervisor_ids: people.map(person => person.id) })
  const unshare = (caller: Caller, id: string, ...people: { id: string }[]) =>
    caller.delete(`/playlists/${id}/share`, { supervisor_ids: people.map(person => person.id) })

  test('adds supervisors, removes none and publishes only the new ones', async () => {
    const { manager, chief, supervisors } = createManagerWithSupervisors()
    const [supervisor1, supervisor2] = supervisors as [(typeof supervisors)[0], (typeof supervisors)[0]]
    const playlist = await createPlaylist(chief)
    const first = await share(chief, playlist.id, supervisor1, supervisor1)
    expect([first.status, first.json.shared_with, first.json.revision]).toEqual([200, [supervisor1.id], 2])
    expect((await share(chief, playlist.id, supervisor1)).json.revision).toBe(2)
    expect((await share(chief, playlist.id, supervisor1, supervisor2)).json.shared_with).toEqual([
      supervisor1.id,
      supervisor2.id,
    ])
    for (const person of supervisors) {
      const [task] = (await callAs(world, secondUrl, person).get('/supervisor/tasks')).json
      expect(task).toMatchObject({ id: playlist.id, created_by: manager.id, shared_with: [person.id] })
    }
    await eventually(() => {
      const sharedEvents = world.of('playlist.shared').filter(event => event.playlist_id === playlist.id)
      expect(sharedEvents.map(event => event.shared_with)).toEqual([[supervisor1.id], [supervisor2.id]])
      const changed = world.of('playlist.changed').filter(event => event.playlist_id === playlist.id)
      expect(changed.map(event => event.shared_with)).toEqual([[supervisor1.id], [supervisor1.id, supervisor2.id]])
    })
  })

  test('removes the share and keeps the assignments', async () => {
    const { chief, supervisors } = createManagerWithSupervisors()
    const [supervisor1, supervisor2] = supervisors as [(typeof supervisors)[0], (typeof supervisors)[0]]
    const trainee = world.addPerson('user', { supervisor_id: supervisor1.id })
    const playlist = await createPlaylist(chief)
    await share(chief, playlist.id, supervisor1, supervisor2)
    await assignPlaylist(callAs(world, url, supervisor1), playlist.id, trainee)
    expect((await unshare(chief, playlist.id, supervisor1)).json.shared_with).toEqual([supervisor2.id])
    expect((await unshare(chief, playlist.id, supervisor1)).json.revision).toBe(3)
    expect((await callAs(world, url, supervisor1).get('/supervisor/tasks')).json).toEqual([])
    expect((await callAs(world, url, trainee).get('/playlists/today')).json).toMatchObject({ id: playlist.id })
  })

  test('ends the monitored session of a supervisor who watches the playlist', async () => {
    const { chief, supervisors } = createManagerWithSupervisors()
    const playlist = await createPlaylist(chief)
    await share(chief, playlist.id, ...supervisors)
    const [caller1, caller2] = supervisors.map(person => callAs(world, url, person)) as [Caller, Caller]
    for (const caller of [caller1, caller2]) {
      const body = { is_monitoring: true, playlist_id: playlist.id }
      expect((await caller.post('/session/monitoring', body)).status).toBe(200)
    }
    await unshare(chief, playlist.id, supervisors[0]!)
    expect((await caller1.post('/session/heartbeat')).status).toBe(409)
    expect((await caller2.post('/session/heartbeat')).status).toBe(200)
  })

  test('with anybody except own supervisors answers 403 and shares with nobody', async () => {
    const { chief, supervisors } = createManagerWithSupervisors()
    const playlist = await createPlaylist(chief)
    for (const outsider of [
      world.addPerson('supervisor'),
      world.addPerson('supervisor', { manager_id: world.addPerson('manager').id }),
      world.addPerson('user', { supervisor_id: supervisors[0]!.id }),
      world.addPerson('director'),
      { id: '0123456789abcdef01234567' },
    ]) {
      const answer = await share(chief, playlist.id, supervisors[0]!, outsider)
      expect([answer.status, answer.json.code]).toEqual([403, 'outside_team'])
      expect((await unshare(chief, playlist.id, outsider)).status).toBe(403)
    }
    expect((await callAs(world, url, supervisors[0]!).get('/supervisor/tasks')).json).toEqual([])
  })

  test('a supervisor whose request has just been approved is accepted', async () => {
    const { manager, chief } = createManagerWithSupervisors()
    const newcomer = world.addPerson('supervisor')
    await callAs(world, url, newcomer).get('/supervisor/tasks')
    const playlist = await createPlaylist(chief)
    expect((await share(chief, playlist.id, newcomer)).status).toBe(403)
    world.changePerson(newcomer, { manager_id: manager.id })
    expect((await share(chief, playlist.id, newcomer)).json.shared_with).toEqual([newcomer.id])
  })

  test.each(roles)('a %s shares their own playlist, and another owner’s, by role', async role => {
    const { chief, supervisors } = createManagerWithSupervisors()
    const foreign = await createPlaylist(chief)
    const caller = callAs(world, url, world.addPerson(role))
    const expected = role === 'manager' ? 404 : 403
    expect((await share(caller, foreign.id, supervisors[0]!)).status).toBe(expected)
    expect((await unshare(caller, foreign.id, supervisors[0]!)).status).toBe(expected)
    expect((await share(chief, foreign.id, supervisors[0]!)).status).toBe(200)
  })

  test.each([
    ['nobody', { supervisor_ids: [] }],
    ['no list', {}],
    ['objects', { supervisor_ids: [{ $ne: '' }] }],
    ['too many', { supervisor_ids: Array.from({ length: 201 }, (_, index) => `s${index}`) }],
  ])('refuses %s', async (_name, body) => {
    const { chief } = createManagerWithSupervisors()
    const playlist = await createPlaylist(chief)
    expect((await chief.put(`/playlists/${playlist.id}/share`, body)).status).toBe(422)
    expect((await chief.delete(`/playlists/${playlist.id}/share`, body)).status).toBe(422)
  })

  test('a supervisor can assign a shared playlist, and cannot edit, delete or share it', async () => {
    const { chief, supervisors } = createManagerWithSupervisors()
    const playlist = await createPlaylist(chief)
    await share(chief, playlist.id, ...supervisors)
    const boss = callAs(world, url, supervisors[0]!)
    await assignPlaylist(boss, playlist.id, world.addPerson('user', { supervisor_id: supervisors[0]!.id }))
    expect((await boss.put(`/playlists/${playlist.id}`, { title: 'Edited' })).status).toBe(404)
    expect((await boss.delete(`/playlists/${playlist.id}`)).status).toBe(404)
    expect((await share(boss, playlist.id, supervisors[1]!)).status).toBe(403)
  })
})
