import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { createTestOrganisation, type Member, members, type Organisation } from '@watchline/testing/organisation'
import { callAs, collectionOf, createEngagementWorld, type EngagementWorld, iso } from './_util.ts'

let world: EngagementWorld
let url: string
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

/**
 * The trainees a person sees in each list and one by one, the comments they can read, and the
 * playlists they can watch.
 */
interface View {
  team: Member[] | number
  details: Member[]
  records: Member[] | number
  export: Member[] | number
  comments: Member[] | number
  watches: string[]
}

const trainees: Member[] = ['trainee1', 'trainee2', 'trainee3']

/**
 * Manager One shares a playlist with Supervisor One. Supervisor One's own playlist is assigned to
 * Trainees One and Two, Supervisor Two's to Trainee Three. Everybody has watched. Trainee One,
 * Supervisor One and Manager One commented on Supervisor One's playlist.
 */
async function createOrganisation() {
  const org = createTestOrganisation(world)
  const { people } = org
  const ofManager1 = world.playlist([20], {
    created_by: people.manager1.id,
    shared_with: [people.supervisor1.id],
    title: 'Manager One’s',
  })
  const ofSupervisor1 = world.playlist([20], { created_by: people.supervisor1.id, title: 'Supervisor One’s' })
  const ofSupervisor2 = world.playlist([20], { created_by: people.supervisor2.id, title: 'Supervisor Two’s' })
  world.assign(ofSupervisor1, people.trainee1, people.trainee2)
  world.assign(ofSupervisor2, people.trainee3)
  const playlists = [ofManager1, ofSupervisor1, ofSupervisor2]
  for (const playlist of playlists) await world.publish('playlist.created', playlist)
  const assignment = { title: '', by: 'b', assigned_date: iso(world.clock.now()) }
  for (const [playlist, names] of [
    [ofSupervisor1, ['trainee1', 'trainee2']],
    [ofSupervisor2, ['trainee3']],
  ] as const)
    await world.publish('playlist.assigned', {
      ...assignment,
      playlist_id: playlist.playlist_id,
      assigned: names.map(name => people[name].id),
    })
  for (const name of members) {
    const person = people[name]
    await world.publish('user.created', { person, by: null })
    const watched = { intervals: [[0, 10]], watchTime: 10, duration: 20, notes: {}, completedAt: null, lastReportAt: 1 }
    const playlist = name === 'trainee3' ? ofSupervisor2 : ofSupervisor1
    if (trainees.includes(name))
      await collectionOf(world, 'watchers').insertOne({
        _id: person.id,
        version: 1,
        balance: 0,
        forgottenTo: 0,
        holds: [],
        waiting: [],
        anchors: [],
        seen: [],
        videos: { [`${playlist.playlist_id}:v0`]: watched },
      })
  }
  for (const name of ['trainee1', 'supervisor1', 'manager1'] as const)
    await collectionOf(world, 'comments').insertOne({
      _id: newId(),
      playlist_id: ofSupervisor1.playlist_id,
      video_id: 'v0',
      person_id: people[name].id,
      author_name: name,
      author_role: people[name].role,
      timestamp: 1,
      text: name,
      created_at: new Date(),
    })
  return { org, playlists }
}

async function loadView(
  { org, playlists }: Awaited<ReturnType<typeof createOrganisation>>,
  name: Member,
): Promise<View> {
  const me = callAs(world, url, { id: org.people[name].id })
  const names = (ids: string[]) => trainees.filter(trainee => ids.includes(org.people[trainee].id))
  const [team, records, file, comments] = await Promise.all(
    [
      '/engagement/team?limit=500',
      '/engagement/dashboard?limit=500',
      '/engagement/export',
      `/comments/${playlists[1]!.playlist_id}/v0`,
    ].map(path => me.get(path)),
  )
  const details = await Promise.all(trainees.map(trainee => me.get(`/engagement/members/${org.people[trainee].id}`)))
  const watches = await Promise.all(playlists.map(playlist => me.get(`/engagement/watched/${playlist.playlist_id}`)))
  return {
    team:
      team!.status === 200
        ? names(team!.json.members.map((member: { user_id: string }) => member.user_id))
        : team!.status,
    details: trainees.filter((_, index) => details[index]!.status === 200),
    records:
      records!.status === 200
        ? names(records!.json.map((record: { user_id: string }) => record.user_id))
        : records!.status,
    export:
      file!.status === 200 ? trainees.filter(trainee => file!.text.includes(org.people[trainee].email)) : file!.status,
    comments:
      comments!.status === 200
        ? members.filter(member => comments!.json.some(({ comment }: { comment: string }) => comment === member))
        : comments!.status,
    watches: playlists.flatMap((playlist, index) => (watches[index]!.status === 200 ? [playlist.title] : [])),
  }
}

type Views = Partial<Record<Member, Partial<View>>>
const seesNone = { details: [], team: [], records: [], export: [] }
const refused = { details: [], team: 403, records: 403, export: 403 }
const sees = (...names: Member[]) => ({ details: names, team: names, records: names, export: names })
const ofBoth = ['Manager One’s', 'Supervisor One’s']

const cases: [string, (org: Organisation) => ReturnType<Organisation['assignRole']>, Views, Views][] = [
  [
    'a user is moved to another supervisor',
    org => org.assignSupervisor('trainee1', 'supervisor2'),
    {
      supervisor1: { ...sees('trainee1', 'trainee2'), comments: ['manager1', 'supervisor1', 'trainee1'] },
      manager1: { ...sees('trainee1', 'trainee2'), comments: ['manager1', 'supervisor1', 'trainee1'] },
      supervisor2: { ...sees('trainee3'), comments: 404 },
      manager2: { ...sees('trainee3'), comments: 404 },
      director1: { ...sees(...trainees), comments: ['manager1', 'supervisor1', 'trainee1'] },
      trainee2: { comments: ['manager1', 'supervisor1', 'trainee1'] },
    },
    {
      supervisor1: { ...sees('trainee2'), comments: ['manager1', 'supervisor1'] },
      manager1: { ...sees('trainee2'), comments: ['manager1', 'supervisor1'] },
      supervisor2: { ...sees('trainee1', 'trainee3'), comments: ['trainee1'] },
      manager2: { ...sees('trainee1', 'trainee3'), comments: ['trainee1'] },
      director1: { ...sees(...trainees), comments: ['manager1', 'supervisor1', 'trainee1'] },
      trainee2: { comments: ['manager1', 'supervisor1'] },
      trainee1: { comments: ['trainee1'], watches: ['Supervisor One’s'] },
    },
  ],
  [
    'a user is removed from the team',
    org => org.assignSupervisor('trainee1', null),
    { supervisor1: sees('trainee1', 'trainee2') },
    {
      supervisor1: sees('trainee2'),
      manager1: sees('trainee2'),
      director1: sees(...trainees),
      trainee1: { comments: ['trainee1'], watches: ['Supervisor One’s'] },
    },
  ],
  [
    'a user becomes a supervisor and leaves the team',
    org => org.assignRole('trainee2', 'supervisor'),
    { trainee2: { ...refused, watches: ['Supervisor One’s'] }, supervisor1: sees('trainee1', 'trainee2') },
    {
      trainee2: { ...seesNone, watches: ['Supervisor One’s'], comments: [] },
      supervisor1: sees('trainee1'),
      manager1: sees('trainee1'),
      director1: sees('trainee1', 'trainee3'),
    },
  ],
  [
    'a supervisor becomes a user and loses the team',
    org => org.assignRole('supervisor1', 'user'),
    { supervisor1: { ...sees('trainee1', 'trainee2'), watches: ofBoth }, manager1: sees('trainee1', 'trainee2') },
    {
      supervisor1: { ...refused, watches: [], comments: 404 },
      manager1: { ...seesNone, comments: 404 },
      director1: { team: expect.arrayContaining(trainees) as never },
      trainee1: { comments: ['trainee1'], watches: ['Supervisor One’s'] },
    },
  ],
  [
    'a supervisor is moved to another manager and loses shared playlists',
    org => org.assignManager('supervisor1', 'manager2'),
    {
      supervisor1: { watches: ofBoth, comments: ['manager1', 'supervisor1', 'trainee1'] },
      manager1: sees('trainee1', 'trainee2'),
      manager2: sees('trainee3'),
    },
    {
      supervisor1: {
        ...sees('trainee1', 'trainee2'),
        watches: ['Supervisor One’s'],
        comments: ['supervisor1', 'trainee1'],
      },
      manager1: { ...seesNone, watches: ['Manager One’s'], comments: 404 },
      manager2: { ...sees(...trainees), comments: ['supervisor1', 'trainee1'] },
      trainee1: { comments: ['supervisor1', 'trainee1'] },
    },
  ],
  [
    'a supervisor is moved away and back and gets shared playlists again',
    org => [...org.assignManager('supervisor1', 'manager2'), ...org.assignManager('supervisor1', 'manager1')],
    { supervisor1: { watches: ofBoth } },
    { supervisor1: { watches: ofBoth }, manager1: sees('trainee1', 'trainee2'), manager2: sees('trainee3') },
  ],
  [
    'a supervisor loses the manager',
    org => org.assignManager('supervisor1', null),
    { supervisor1: { watches: ofBoth }, manager1: sees('trainee1', 'trainee2') },
    { supervisor1: { ...sees('trainee1', 'trainee2'), watches: ['Supervisor One’s'] }, manager1: seesNone },
  ],
  [
    'a manager becomes a user and loses the supervisors',
    org => org.assignRole('manager1', 'user'),
    { manager1: { ...sees('trainee1', 'trainee2'), watches: ofBoth } },
    {
      manager1: { ...refused, watches: [], comments: 404 },
      supervisor1: { ...sees('trainee1', 'trainee2'), watches: ['Supervisor One’s'] },
    },
  ],
  [
    'a manager becomes a supervisor and keeps only their own playlists',
    org => org.assignRole('manager1', 'supervisor'),
    { manager1: sees('trainee1', 'trainee2'), supervisor1: { watches: ofBoth } },
    { manager1: { ...seesNone, watches: ['Manager One’s'] }, supervisor1: { watches: ['Supervisor One’s'] } },
  ],
  [
    'a manager becomes a director, sees everybody and shares with nobody',
    org => org.assignRole('manager1', 'director'),
    { manager1: sees('trainee1', 'trainee2') },
    {
      manager1: { ...sees(...trainees), watches: ['Manager One’s', 'Supervisor One’s', 'Supervisor Two’s'] },
      supervisor1: { watches: ['Supervisor One’s'] },
    },
  ],
  [
    'a director becomes a user',
    org => org.assignRole('director1', 'user'),
    { director1: sees(...trainees) },
    { director1: { ...refused, watches: [] } },
  ],
]

describe.each(['in order', 'reversed and repeated'])('with the events %s', order => {
  test.each(cases)('%s', async (_name, change, before, after) => {
    const organisation = await createOrganisation()
    const views = async (expected: Views) => {
      const names = Object.keys(expected) as Member[]
      return Object.fromEntries(await Promise.all(names.map(async name => [name, await loadView(organisation, name)])))
    }
    await eventually(async () => expect(await views(before)).toMatchObject(before))
    const events = change(organisation.org)
    const deliveries = order === 'in order' ? events : [...events, ...events].reverse()
    for (const { type, data } of deliveries) await world.publish(type, data as never)
    await eventually(async () => expect(await views(after)).toMatchObject(after))
  })
})

test('a supervisor without a manager can report only about their own playlists', async () => {
  const { org, playlists } = await createOrganisation()
  const report = async (index: number) => {
    const body = { playlist_id: playlists[index]!.playlist_id, video_id: 'v0', event_type: 'play', watch_time: 0 }
    const client_time = iso(world.clock.now())
    return (await callAs(world, url, org.people.supervisor1).post('/engagement/track', { ...body, client_time })).status
  }
  expect([await report(0), await report(1), await report(2)]).toEqual([200, 200, 404])
  for (const { type, data } of org.assignManager('supervisor1', null)) await world.publish(type, data as never)
  await eventually(async () => expect([await report(0), await report(1)]).toEqual([404, 200]))
})
