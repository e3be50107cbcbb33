import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { createTestOrganisation, type Member, type Organisation } from '@watchline/testing/organisation'
import { assignPlaylist, callAs, createPlaybackWorld, createPlaylist, type PlaybackWorld } from './_util.ts'

let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

/**
 * The trainees a person sees online, their tasks, playlists with assignees, and the own task of
 * today.
 */
interface View {
  online: Member[] | number
  tasks: string[] | number
  playlists: string[]
  assigned: Member[]
  today: string | null
}

const trainees: Member[] = ['trainee1', 'trainee2', 'trainee3']

/**
 * Manager One shares a playlist with Supervisor One, who assigns it to Trainee One. Supervisor One
 * assigns an own playlist to Trainees One and Two, Supervisor Two one to Trainee Three. All
 * trainees are online.
 */
async function createOrganisation() {
  const org = createTestOrganisation(world)
  const { people } = org
  const callerOf = (name: Member) => callAs(world, url, people[name])
  const { supervisor1, trainee1, trainee2, trainee3 } = people
  const ofManager1 = await createPlaylist(callerOf('manager1'), { title: 'Manager One’s' })
  await callerOf('manager1').put(`/playlists/${ofManager1.id}/share`, { supervisor_ids: [supervisor1.id] })
  const ofSupervisor1 = await createPlaylist(callerOf('supervisor1'), { title: 'Supervisor One’s' })
  const ofSupervisor2 = await createPlaylist(callerOf('supervisor2'), { title: 'Supervisor Two’s' })
  await assignPlaylist(callerOf('supervisor1'), ofManager1.id, trainee1)
  await assignPlaylist(callerOf('supervisor1'), ofSupervisor1.id, trainee1, trainee2)
  await assignPlaylist(callerOf('supervisor2'), ofSupervisor2.id, trainee3)
  const now = world.ports.clock.now()
  await world.ports.live.presence.report(
    [trainee1, trainee2, trainee3].map(({ id }) => ({ personId: id, sid: `sid-${id}`, loginTime: now, at: now })),
  )
  return { org, at: callerOf, playlistIds: [ofManager1.id, ofSupervisor1.id, ofSupervisor2.id] }
}

async function loadView(org: Organisation, playlistIds: readonly string[], name: Member): Promise<View> {
  const me = callAs(world, url, { ...org.people[name], version: 1 })
  const [online, tasks, playlists, today] = await Promise.all(
    ['/users/online', '/supervisor/tasks', '/playlists', '/playlists/today'].map(path => me.get(path)),
  )
  type ListedPlaylist = { id: string; title: string; assigned_users: string[] }
  const own = (list: ListedPlaylist[]) => list.filter(playlist => playlistIds.includes(playlist.id))
  const names = (ids: string[]) => trainees.filter(person => ids.includes(org.people[person].id))
  return {
    online:
      online!.status === 200
        ? names(online!.json.users.map((person: { user_id: string }) => person.user_id))
        : online!.status,
    tasks: tasks!.status === 200 ? own(tasks!.json).map(playlist => playlist.title) : tasks!.status,
    playlists: own(playlists!.json)
      .map(playlist => playlist.title)
      .sort(),
    assigned: names(own(playlists!.json).flatMap(playlist => playlist.assigned_users)),
    today: today!.json?.title ?? null,
  }
}

type Views = Partial<Record<Member, Partial<View>>>
const everybody = { online: trainees, assigned: trainees }

const cases: [string, (org: Organisation) => ReturnType<Organisation['assignRole']>, Views, Views][] = [
  [
    'a user is moved to another supervisor',
    org => org.assignSupervisor('trainee1', 'supervisor2'),
    {
      supervisor1: { online: ['trainee1', 'trainee2'], assigned: ['trainee1', 'trainee2'] },
      supervisor2: { online: ['trainee3'], assigned: ['trainee3'] },
      manager1: { online: ['trainee1', 'trainee2'], assigned: ['trainee1'] },
      manager2: { online: ['trainee3'] },
      director1: everybody,
      trainee1: { today: 'Supervisor One’s' },
    },
    {
      supervisor1: { online: ['trainee2'], assigned: ['trainee2'] },
      supervisor2: { online: ['trainee1', 'trainee3'], assigned: ['trainee3'] },
      manager1: { online: ['trainee2'], assigned: [] },
      manager2: { online: ['trainee1', 'trainee3'] },
      director1: everybody,
      trainee1: { today: 'Supervisor One’s' },
    },
  ],
  [
    'a user is removed from the team',
    org => org.assignSupervisor('trainee2', null),
    { supervisor1: { online: ['trainee1', 'trainee2'], assigned: ['trainee1', 'trainee2'] } },
    {
      supervisor1: { online: ['trainee1'], assigned: ['trainee1'] },
      manager1: { online: ['trainee1'] },
      director1: everybody,
      trainee2: { today: 'Supervisor One’s' },
    },
  ],
  [
    'a user becomes a supervisor, leaves the team and is visible to every supervisor',
    org => org.assignRole('trainee2', 'supervisor'),
    {
      trainee2: { online: 403, tasks: 403, today: 'Supervisor One’s' },
      supervisor2: { online: ['trainee3'] },
      supervisor1: { assigned: ['trainee1', 'trainee2'] },
    },
    {
      trainee2: { online: ['trainee2'], tasks: [], playlists: [], today: 'Supervisor One’s' },
      supervisor2: { online: ['trainee2', 'trainee3'] },
      supervisor1: { online: ['trainee1', 'trainee2'], assigned: ['trainee1'] },
    },
  ],
  [
    'a supervisor becomes a user and loses the team',
    org => org.assignRole('supervisor1', 'user'),
    {
      supervisor1: {
        online: ['trainee1', 'trainee2'],
        tasks: ['Manager One’s'],
        playlists: ['Manager One’s', 'Supervisor One’s'],
        assigned: ['trainee1', 'trainee2'],
      },
      manager1: { online: ['trainee1', 'trainee2'], assigned: ['trainee1'] },
    },
    {
      supervisor1: { online: 403, tasks: 403, playlists: [], assigned: [] },
      manager1: { online: [], assigned: [], playlists: ['Manager One’s'] },
      director1: everybody,
      trainee1: { today: 'Supervisor One’s' },
    },
  ],
  [
    'a supervisor is moved to another manager and loses shared playlists',
    org => org.assignManager('supervisor1', 'manager2'),
    {
      supervisor1: { tasks: ['Manager One’s'], playlists: ['Manager One’s', 'Supervisor One’s'] },
      manager1: { online: ['trainee1', 'trainee2'] },
      manager2: { online: ['trainee3'] },
    },
    {
      supervisor1: { tasks: [], playlists: ['Supervisor One’s'], online: ['trainee1', 'trainee2'] },
      manager1: { online: [], assigned: [], playlists: ['Manager One’s'] },
      manager2: { online: trainees },
      trainee1: { playlists: ['Manager One’s', 'Supervisor One’s'] },
    },
  ],
  [
    'a supervisor is moved away and back and gets shared playlists again',
    org => [...org.assignManager('supervisor1', 'manager2'), ...org.assignManager('supervisor1', 'manager1')],
    { supervisor1: { tasks: ['Manager One’s'] } },
    {
      supervisor1: { tasks: ['Manager One’s'], playlists: ['Manager One’s', 'Supervisor One’s'] },
      manager1: { online: ['trainee1', 'trainee2'] },
      manager2: { online: ['trainee3'] },
    },
  ],
  [
    'a supervisor loses the manager and has their own playlists as tasks',
    org => org.assignManager('supervisor1', null),
    { supervisor1: { tasks: ['Manager One’s'] } },
    {
      supervisor1: { tasks: ['Supervisor One’s'], playlists: ['Supervisor One’s'], online: ['trainee1', 'trainee2'] },
      manager1: { online: [] },
    },
  ],
  [
    'a manager becomes a user and loses the supervisors',
    org => org.assignRole('manager1', 'user'),
    {
      manager1: { online: ['trainee1', 'trainee2'], playlists: ['Manager One’s'] },
      supervisor1: { tasks: ['Manager One’s'] },
    },
    {
      manager1: { online: 403, playlists: [], assigned: [] },
      supervisor1: { tasks: ['Supervisor One’s'], playlists: ['Supervisor One’s'], online: ['trainee1', 'trainee2'] },
      trainee1: { playlists: ['Manager One’s', 'Supervisor One’s'] },
    },
  ],
  [
    'a manager becomes a supervisor, keeps their own playlists and shares with nobody',
    org => org.assignRole('manager1', 'supervisor'),
    { manager1: { tasks: 403 }, supervisor1: { playlists: ['Manager One’s', 'Supervisor One’s'] } },
    {
      manager1: { online: [], tasks: ['Manager One’s'], playlists: ['Manager One’s'], assigned: [] },
      supervisor1: { playlists: ['Supervisor One’s'] },
    },
  ],
  [
    'a manager becomes a director, sees everything and shares with nobody',
    org => org.assignRole('manager1', 'director'),
    {
      manager1: { online: ['trainee1', 'trainee2'], assigned: ['trainee1'] },
      supervisor1: { tasks: ['Manager One’s'] },
    },
    {
      manager1: { ...everybody, playlists: ['Manager One’s', 'Supervisor One’s', 'Supervisor Two’s'] },
      supervisor1: { tasks: ['Supervisor One’s'] },
    },
  ],
  [
    'a director becomes a user',
    org => org.assignRole('director1', 'user'),
    { director1: everybody },
    { director1: { online: 403, playlists: [], assigned: [] } },
  ],
]

describe.each(['in order', 'reversed and repeated'])('with the events %s', order => {
  test.each(cases)('%s', async (_name, change, before, after) => {
    const { org, playlistIds } = await createOrganisation()
    const views = async (expected: Views) => {
      const names = Object.keys(expected) as Member[]
      return Object.fromEntries(
        await Promise.all(names.map(async name => [name, await loadView(org, playlistIds, name)])),
      )
    }
    // Teams are in memory, which follows the database.
    await eventually(async () => expect(await views(before)).toMatchObject(before))
    const events = change(org)
    const published = order === 'in order' ? events : [...events, ...events].reverse()
    for (const { type, data } of published) await world.publish(type, data as never)
    await eventually(async () => expect(await views(after)).toMatchObject(after))
  })
})

test('rights to assign follow a role change at once', async () => {
  const { org, at, playlistIds } = await createOrganisation()
  const [ofManager1, ofSupervisor1] = playlistIds as [string, string]
  const { trainee3, trainee1 } = org.people
  const assign = async (id: string, person: { id: string }) =>
    (await at('supervisor1').put(`/playlists/${id}/assign`, { assigned_users: [person.id] })).status
  expect([await assign(ofManager1, trainee1), await assign(ofSupervisor1, trainee3)]).toEqual([200, 403])
  for (const { type, data } of [
    ...org.assignSupervisor('trainee3', 'supervisor1'),
    ...org.assignSupervisor('trainee1', 'supervisor2'),
    ...org.assignManager('supervisor1', null),
  ])
    await world.publish(type, data as never)
  await eventually(async () =>
    expect([
      await assign(ofSupervisor1, trainee3),
      await assign(ofSupervisor1, trainee1),
      await assign(ofManager1, trainee3),
    ]).toEqual([200, 403, 404]),
  )
})
