import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@watchline/kit/mongo'
import { eventually } from '@watchline/kit/test-harness'
import { anOrganisation, type Member, members, type Organisation } from '@watchline/kit/test-organisation'
import { as, createEngagementWorld, type EngagementWorld, iso, rows } from './_util.ts'

let world: EngagementWorld
let url: string
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

/** What somebody learns: whose figures, in lists and one by one, whose records, whose comments, and which playlists they may watch. */
interface View {
  team: Member[] | number
  details: Member[]
  records: Member[] | number
  export: Member[] | number
  comments: Member[] | number
  watches: string[]
}

const trainees: Member[] = ['ann', 'ben', 'zoe']

/** Alma shares hers with Sven; his own is Ann's and Ben's, Sara's is Zoe's. Everyone has watched; Sven's is commented by his people and Alma. */
async function organisation() {
  const org = anOrganisation(world)
  const { people } = org
  const ofAlma = world.playlist([20], { created_by: people.alma.id, shared_with: [people.sven.id], title: 'Alma’s' })
  const ofSven = world.playlist([20], { created_by: people.sven.id, title: 'Sven’s' })
  const ofSara = world.playlist([20], { created_by: people.sara.id, title: 'Sara’s' })
  world.assign(ofSven, people.ann, people.ben)
  world.assign(ofSara, people.zoe)
  const playlists = [ofAlma, ofSven, ofSara]
  for (const each of playlists) await world.tell('playlist.created', each)
  const assigned = { title: '', by: 'b', assigned_date: iso(world.clock.now()) }
  for (const [playlist, names] of [
    [ofSven, ['ann', 'ben']],
    [ofSara, ['zoe']],
  ] as const)
    await world.tell('playlist.assigned', {
      ...assigned,
      playlist_id: playlist.playlist_id,
      assigned: names.map(name => people[name].id),
    })
  for (const name of members) {
    const person = people[name]
    await world.tell('user.created', { person, by: null })
    const watched = { intervals: [[0, 10]], watchTime: 10, duration: 20, notes: {}, completedAt: null, lastReportAt: 1 }
    const playlist = name === 'zoe' ? ofSara : ofSven
    if (trainees.includes(name))
      await rows(world, 'watchers').insertOne({
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
  for (const name of ['ann', 'sven', 'alma'] as const)
    await rows(world, 'comments').insertOne({
      _id: newId(),
      playlist_id: ofSven.playlist_id,
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

async function viewOf({ org, playlists }: Awaited<ReturnType<typeof organisation>>, name: Member): Promise<View> {
  const me = as(world, url, { id: org.people[name].id })
  const names = (found: string[]) => trainees.filter(each => found.includes(org.people[each].id))
  const [team, records, file, comments] = await Promise.all(
    [
      '/engagement/team?limit=500',
      '/engagement/dashboard?limit=500',
      '/engagement/export',
      `/comments/${playlists[1]!.playlist_id}/v0`,
    ].map(path => me.get(path)),
  )
  const details = await Promise.all(trainees.map(each => me.get(`/engagement/members/${org.people[each].id}`)))
  const watches = await Promise.all(playlists.map(each => me.get(`/engagement/watched/${each.playlist_id}`)))
  return {
    team:
      team!.status === 200 ? names(team!.json.members.map((each: { user_id: string }) => each.user_id)) : team!.status,
    details: trainees.filter((_, index) => details[index]!.status === 200),
    records:
      records!.status === 200 ? names(records!.json.map((each: { user_id: string }) => each.user_id)) : records!.status,
    export: file!.status === 200 ? trainees.filter(each => file!.text.includes(org.people[each].email)) : file!.status,
    comments:
      comments!.status === 200
        ? members.filter(each => comments!.json.some((said: { comment: string }) => said.comment === each))
        : comments!.status,
    watches: playlists.flatMap((each, index) => (watches[index]!.status === 200 ? [each.title] : [])),
  }
}

type Views = Partial<Record<Member, Partial<View>>>
const seesNone = { details: [], team: [], records: [], export: [] }
const refused = { details: [], team: 403, records: 403, export: 403 }
const sees = (...names: Member[]) => ({ details: names, team: names, records: names, export: names })
const ofBoth = ['Alma’s', 'Sven’s']

const cases: [string, (org: Organisation) => ReturnType<Organisation['role']>, Views, Views][] = [
  [
    'a user is moved to another supervisor',
    org => org.supervisor('ann', 'sara'),
    {
      sven: { ...sees('ann', 'ben'), comments: ['alma', 'sven', 'ann'] },
      alma: { ...sees('ann', 'ben'), comments: ['alma', 'sven', 'ann'] },
      sara: { ...sees('zoe'), comments: 404 },
      arno: { ...sees('zoe'), comments: 404 },
      dora: { ...sees(...trainees), comments: ['alma', 'sven', 'ann'] },
      ben: { comments: ['alma', 'sven', 'ann'] },
    },
    {
      sven: { ...sees('ben'), comments: ['alma', 'sven'] },
      alma: { ...sees('ben'), comments: ['alma', 'sven'] },
      sara: { ...sees('ann', 'zoe'), comments: ['ann'] },
      arno: { ...sees('ann', 'zoe'), comments: ['ann'] },
      dora: { ...sees(...trainees), comments: ['alma', 'sven', 'ann'] },
      ben: { comments: ['alma', 'sven'] },
      ann: { comments: ['ann'], watches: ['Sven’s'] },
    },
  ],
  [
    'a user is taken out of the team',
    org => org.supervisor('ann', null),
    { sven: sees('ann', 'ben') },
    { sven: sees('ben'), alma: sees('ben'), dora: sees(...trainees), ann: { comments: ['ann'], watches: ['Sven’s'] } },
  ],
  [
    'a user becomes a supervisor: no trainee of anybody',
    org => org.role('ben', 'supervisor'),
    { ben: { ...refused, watches: ['Sven’s'] }, sven: sees('ann', 'ben') },
    {
      ben: { ...seesNone, watches: ['Sven’s'], comments: [] },
      sven: sees('ann'),
      alma: sees('ann'),
      dora: sees('ann', 'zoe'),
    },
  ],
  [
    'a supervisor becomes a user: the team is free',
    org => org.role('sven', 'user'),
    { sven: { ...sees('ann', 'ben'), watches: ofBoth }, alma: sees('ann', 'ben') },
    {
      sven: { ...refused, watches: [], comments: 404 },
      alma: { ...seesNone, comments: 404 },
      dora: { team: expect.arrayContaining(trainees) as never },
      ann: { comments: ['ann'], watches: ['Sven’s'] },
    },
  ],
  [
    'a supervisor is moved to another manager: what was shared is so no more',
    org => org.manager('sven', 'arno'),
    { sven: { watches: ofBoth, comments: ['alma', 'sven', 'ann'] }, alma: sees('ann', 'ben'), arno: sees('zoe') },
    {
      sven: { ...sees('ann', 'ben'), watches: ['Sven’s'], comments: ['sven', 'ann'] },
      alma: { ...seesNone, watches: ['Alma’s'], comments: 404 },
      arno: { ...sees(...trainees), comments: ['sven', 'ann'] },
      ann: { comments: ['sven', 'ann'] },
    },
  ],
  [
    'a supervisor is moved away and back: what was shared is there again',
    org => [...org.manager('sven', 'arno'), ...org.manager('sven', 'alma')],
    { sven: { watches: ofBoth } },
    { sven: { watches: ofBoth }, alma: sees('ann', 'ben'), arno: sees('zoe') },
  ],
  [
    'a supervisor is left without a manager',
    org => org.manager('sven', null),
    { sven: { watches: ofBoth }, alma: sees('ann', 'ben') },
    { sven: { ...sees('ann', 'ben'), watches: ['Sven’s'] }, alma: seesNone },
  ],
  [
    'a manager becomes a user: the supervisors are free',
    org => org.role('alma', 'user'),
    { alma: { ...sees('ann', 'ben'), watches: ofBoth } },
    { alma: { ...refused, watches: [], comments: 404 }, sven: { ...sees('ann', 'ben'), watches: ['Sven’s'] } },
  ],
  [
    'a manager becomes a supervisor, with what they made and nobody under them',
    org => org.role('alma', 'supervisor'),
    { alma: sees('ann', 'ben'), sven: { watches: ofBoth } },
    { alma: { ...seesNone, watches: ['Alma’s'] }, sven: { watches: ['Sven’s'] } },
  ],
  [
    'a manager becomes a director, who sees everybody and shares with nobody',
    org => org.role('alma', 'director'),
    { alma: sees('ann', 'ben') },
    { alma: { ...sees(...trainees), watches: ['Alma’s', 'Sven’s', 'Sara’s'] }, sven: { watches: ['Sven’s'] } },
  ],
  [
    'a director becomes a user',
    org => org.role('dora', 'user'),
    { dora: sees(...trainees) },
    { dora: { ...refused, watches: [] } },
  ],
]

describe.each(['as it comes', 'backwards, and twice'])('the news of it %s', order => {
  test.each(cases)('%s', async (_what, changed, before, after) => {
    const all = await organisation()
    const views = async (of: Views) => {
      const names = Object.keys(of) as Member[]
      return Object.fromEntries(await Promise.all(names.map(async name => [name, await viewOf(all, name)])))
    }
    await eventually(async () => expect(await views(before)).toMatchObject(before), 5_000)
    const told = changed(all.org)
    const news = order === 'as it comes' ? told : [...told, ...told].reverse()
    for (const { type, data } of news) await world.tell(type, data as never)
    await eventually(async () => expect(await views(after)).toMatchObject(after), 5_000)
  })
})

test('a supervisor who lost the manager can report nothing more of what was shared, and everything of their own', async () => {
  const { org, playlists } = await organisation()
  const report = async (index: number) => {
    const body = { playlist_id: playlists[index]!.playlist_id, video_id: 'v0', event_type: 'play', watch_time: 0 }
    const client_time = iso(world.clock.now())
    return (await as(world, url, org.people.sven).post('/engagement/track', { ...body, client_time })).status
  }
  expect([await report(0), await report(1), await report(2)]).toEqual([200, 200, 404])
  for (const { type, data } of org.manager('sven', null)) await world.tell(type, data as never)
  await eventually(async () => expect([await report(0), await report(1)]).toEqual([404, 200]))
})
