import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/kit/test-harness'
import { anOrganisation, type Member, type Organisation } from '@watchline/kit/test-organisation'
import { aPlaylist, as, assigned, createPlaybackWorld, type PlaybackWorld } from './_util.ts'

let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

/** What somebody sees: trainees online, tasks to assign, playlists, to whom they are assigned, and today's task of their own. */
interface View {
  online: Member[] | number
  tasks: string[] | number
  playlists: string[]
  assigned: Member[]
  today: string | null
}

const trainees: Member[] = ['ann', 'ben', 'zoe']

/** Alma shares with Sven, who gives hers to Ann, and his own to Ann and Ben; Sara gives her own to Zoe. All of them are online. */
async function organisation() {
  const org = anOrganisation(world)
  const { people } = org
  const at = (name: Member) => as(world, url, people[name])
  const { sven, ann, ben, zoe } = people
  const ofAlma = await aPlaylist(at('alma'), { title: 'Alma’s' })
  await at('alma').put(`/playlists/${ofAlma.id}/share`, { supervisor_ids: [sven.id] })
  const ofSven = await aPlaylist(at('sven'), { title: 'Sven’s' })
  const ofSara = await aPlaylist(at('sara'), { title: 'Sara’s' })
  await assigned(at('sven'), ofAlma.id, ann)
  await assigned(at('sven'), ofSven.id, ann, ben)
  await assigned(at('sara'), ofSara.id, zoe)
  const now = world.ports.clock.now()
  await world.ports.live.presence.note(
    [ann, ben, zoe].map(each => ({ personId: each.id, sid: `sid-${each.id}`, loginTime: now, at: now })),
  )
  return { org, at, playlistIds: [ofAlma.id, ofSven.id, ofSara.id] }
}

async function viewOf(org: Organisation, playlistIds: readonly string[], name: Member): Promise<View> {
  const me = as(world, url, { ...org.people[name], version: 1 })
  const [online, tasks, playlists, today] = await Promise.all(
    ['/users/online', '/supervisor/tasks', '/playlists', '/playlists/today'].map(path => me.get(path)),
  )
  type Listed = { id: string; title: string; assigned_users: string[] }
  const own = (list: Listed[]) => list.filter(each => playlistIds.includes(each.id))
  const names = (ids: string[]) => trainees.filter(each => ids.includes(org.people[each].id))
  return {
    online:
      online!.status === 200
        ? names(online!.json.users.map((each: { user_id: string }) => each.user_id))
        : online!.status,
    tasks: tasks!.status === 200 ? own(tasks!.json).map(each => each.title) : tasks!.status,
    playlists: own(playlists!.json)
      .map(each => each.title)
      .sort(),
    assigned: names(own(playlists!.json).flatMap(each => each.assigned_users)),
    today: today!.json?.title ?? null,
  }
}

type Views = Partial<Record<Member, Partial<View>>>
const everybody = { online: trainees, assigned: trainees }

const cases: [string, (org: Organisation) => ReturnType<Organisation['role']>, Views, Views][] = [
  [
    'a user is moved to another supervisor',
    org => org.supervisor('ann', 'sara'),
    {
      sven: { online: ['ann', 'ben'], assigned: ['ann', 'ben'] },
      sara: { online: ['zoe'], assigned: ['zoe'] },
      alma: { online: ['ann', 'ben'], assigned: ['ann'] },
      arno: { online: ['zoe'] },
      dora: everybody,
      ann: { today: 'Sven’s' },
    },
    {
      sven: { online: ['ben'], assigned: ['ben'] },
      sara: { online: ['ann', 'zoe'], assigned: ['zoe'] },
      alma: { online: ['ben'], assigned: [] },
      arno: { online: ['ann', 'zoe'] },
      dora: everybody,
      ann: { today: 'Sven’s' },
    },
  ],
  [
    'a user is taken out of the team',
    org => org.supervisor('ben', null),
    { sven: { online: ['ann', 'ben'], assigned: ['ann', 'ben'] } },
    {
      sven: { online: ['ann'], assigned: ['ann'] },
      alma: { online: ['ann'] },
      dora: everybody,
      ben: { today: 'Sven’s' },
    },
  ],
  [
    'a user becomes a supervisor: no trainee any more, one of the staff, whom every supervisor sees online',
    org => org.role('ben', 'supervisor'),
    {
      ben: { online: 403, tasks: 403, today: 'Sven’s' },
      sara: { online: ['zoe'] },
      sven: { assigned: ['ann', 'ben'] },
    },
    {
      ben: { online: ['ben'], tasks: [], playlists: [], today: 'Sven’s' },
      sara: { online: ['ben', 'zoe'] },
      sven: { online: ['ann', 'ben'], assigned: ['ann'] },
    },
  ],
  [
    'a supervisor becomes a user: the team is free',
    org => org.role('sven', 'user'),
    {
      sven: { online: ['ann', 'ben'], tasks: ['Alma’s'], playlists: ['Alma’s', 'Sven’s'], assigned: ['ann', 'ben'] },
      alma: { online: ['ann', 'ben'], assigned: ['ann'] },
    },
    {
      sven: { online: 403, tasks: 403, playlists: [], assigned: [] },
      alma: { online: [], assigned: [], playlists: ['Alma’s'] },
      dora: everybody,
      ann: { today: 'Sven’s' },
    },
  ],
  [
    'a supervisor is moved to another manager: what was shared is so no more',
    org => org.manager('sven', 'arno'),
    {
      sven: { tasks: ['Alma’s'], playlists: ['Alma’s', 'Sven’s'] },
      alma: { online: ['ann', 'ben'] },
      arno: { online: ['zoe'] },
    },
    {
      sven: { tasks: [], playlists: ['Sven’s'], online: ['ann', 'ben'] },
      alma: { online: [], assigned: [], playlists: ['Alma’s'] },
      arno: { online: trainees },
      ann: { playlists: ['Alma’s', 'Sven’s'] },
    },
  ],
  [
    'a supervisor is moved away and back: what was shared is there again',
    org => [...org.manager('sven', 'arno'), ...org.manager('sven', 'alma')],
    { sven: { tasks: ['Alma’s'] } },
    {
      sven: { tasks: ['Alma’s'], playlists: ['Alma’s', 'Sven’s'] },
      alma: { online: ['ann', 'ben'] },
      arno: { online: ['zoe'] },
    },
  ],
  [
    'a supervisor is left without a manager: their own playlists are their tasks',
    org => org.manager('sven', null),
    { sven: { tasks: ['Alma’s'] } },
    { sven: { tasks: ['Sven’s'], playlists: ['Sven’s'], online: ['ann', 'ben'] }, alma: { online: [] } },
  ],
  [
    'a manager becomes a user: the supervisors are free',
    org => org.role('alma', 'user'),
    { alma: { online: ['ann', 'ben'], playlists: ['Alma’s'] }, sven: { tasks: ['Alma’s'] } },
    {
      alma: { online: 403, playlists: [], assigned: [] },
      sven: { tasks: ['Sven’s'], playlists: ['Sven’s'], online: ['ann', 'ben'] },
      ann: { playlists: ['Alma’s', 'Sven’s'] },
    },
  ],
  [
    'a manager becomes a supervisor: what they made is theirs, and shared with nobody',
    org => org.role('alma', 'supervisor'),
    { alma: { tasks: 403 }, sven: { playlists: ['Alma’s', 'Sven’s'] } },
    { alma: { online: [], tasks: ['Alma’s'], playlists: ['Alma’s'], assigned: [] }, sven: { playlists: ['Sven’s'] } },
  ],
  [
    'a manager becomes a director, who sees everything and shares with nobody',
    org => org.role('alma', 'director'),
    { alma: { online: ['ann', 'ben'], assigned: ['ann'] }, sven: { tasks: ['Alma’s'] } },
    { alma: { ...everybody, playlists: ['Alma’s', 'Sara’s', 'Sven’s'] }, sven: { tasks: ['Sven’s'] } },
  ],
  [
    'a director becomes a user',
    org => org.role('dora', 'user'),
    { dora: everybody },
    { dora: { online: 403, playlists: [], assigned: [] } },
  ],
]

describe.each(['as it comes', 'backwards, and twice'])('the news of it %s', order => {
  test.each(cases)('%s', async (_what, changed, before, after) => {
    const { org, playlistIds } = await organisation()
    const views = async (of: Views) => {
      const names = Object.keys(of) as Member[]
      return Object.fromEntries(
        await Promise.all(names.map(async name => [name, await viewOf(org, playlistIds, name)])),
      )
    }
    expect(await views(before)).toMatchObject(before)
    const told = changed(org)
    const news = order === 'as it comes' ? told : [...told, ...told].reverse()
    for (const { type, data } of news) await world.tell(type, data as never)
    await eventually(async () => expect(await views(after)).toMatchObject(after), 5_000)
  })
})

test('who may assign what to whom follows at once', async () => {
  const { org, at, playlistIds } = await organisation()
  const [ofAlma, ofSven] = playlistIds as [string, string]
  const { zoe, ann } = org.people
  const assign = async (id: string, person: { id: string }) =>
    (await at('sven').put(`/playlists/${id}/assign`, { assigned_users: [person.id] })).status
  expect([await assign(ofAlma, ann), await assign(ofSven, zoe)]).toEqual([200, 403])
  for (const { type, data } of [
    ...org.supervisor('zoe', 'sven'),
    ...org.supervisor('ann', 'sara'),
    ...org.manager('sven', null),
  ])
    await world.tell(type, data as never)
  await eventually(async () =>
    expect([await assign(ofSven, zoe), await assign(ofSven, ann), await assign(ofAlma, zoe)]).toEqual([200, 403, 404]),
  )
})
