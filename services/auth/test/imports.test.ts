import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { peoplePerImportEvent } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { PeopleImport } from '@watchline/contracts/people-imports'
import { createLogger, type Logger } from '@watchline/kit/observability/log'
import { eventually } from '@watchline/testing/harness'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let auth: AuthWorld
/** Another replica of the same service. */
let replica: AuthWorld
let admin: Person
beforeAll(async () => {
  auth = await startAuth()
  replica = await startAuth({}, { world: auth.world })
  admin = await auth.person('admin', { name: 'Root' })
})
afterAll(async () => {
  await replica.service.stop()
  await auth.stop()
})

const header = 'email,name,role,supervisor_email,manager_email'
let nextFile = 0
/** A name nobody else in this file's tests has. */
function fresh() {
  nextFile += 1
  return `f${nextFile}`
}
const csv = (...lines: string[]) => [header, ...lines].join('\n')
const people = () => auth.database.collection<{ _id: string; email: string; invited?: boolean }>('people')
const inDatabase = (domain: string) =>
  people()
    .find({ email: { $regex: `@${domain}\\.` } })
    .toArray()
const at = (path: string, who: Person = admin, world = auth) => {
  const call = world.as(who)
  return {
    get: () => call.get(`/admin/imports${path}`),
    post: (body?: unknown) => call.post(`/admin/imports${path}`, body),
    put: (body: unknown) => call.put(`/admin/imports${path}`, body),
  }
}

function cut(text: string, size: number): string[] {
  const characters = [...text]
  const parts: string[] = []
  for (let from = 0; from < characters.length; from += size) parts.push(characters.slice(from, from + size).join(''))
  return parts
}

async function upload(text: string, size: number = limits.importPartCharacters): Promise<string> {
  const parts = cut(text, size)
  const { json, status } = await at('').post({ file_name: 'people.csv', parts: parts.length })
  expect(status).toBe(201)
  expect(json.import).toMatchObject({ status: 'uploading', problem_count: 0, file_name: 'people.csv' })
  // In any order, several at once.
  const kept = await Promise.all(
    parts.map((part, index) => at(`/${json.import.id}/parts/${index}`).put({ text: part })).reverse(),
  )
  expect(kept.map(answer => answer.status)).toEqual(parts.map(() => 200))
  return json.import.id
}

async function ended(id: string, world = auth): Promise<PeopleImport> {
  return eventually(async () => {
    const { json } = await at(`/${id}`, admin, world).get()
    expect(['checking', 'applying']).not.toContain(json.status)
    return json
  }, 60_000)
}

async function checked(text: string): Promise<PeopleImport> {
  const id = await upload(text)
  const { status, json } = await at(`/${id}/check`).post()
  expect([status, json.import.status]).toEqual([202, 'checking'])
  return ended(id)
}

async function applied(text: string): Promise<PeopleImport> {
  const { id, problems } = await checked(text)
  expect(problems).toEqual([])
  expect((await at(`/${id}/apply`).post()).status).toBe(202)
  return ended(id)
}

const told = async (id: string) => (await auth.events(id)).filter(event => event.type === 'users.imported')

describe('bringing people in', () => {
  test('a check finds no problem and changes nothing; then everybody is in, at their places', async () => {
    const d = fresh()
    const supervisor1 = await auth.person('supervisor', { name: 'Supervisor One' })
    const manager1 = await auth.person('manager', { name: 'Manager One' })
    const text = csv(
      `trainee1@${d}.org,Trainee One,user,${supervisor1.email},`,
      `TRAINEE.TWO@${d}.org,,User,new@${d}.org,`,
      `new@${d}.org,New,supervisor,,${manager1.email}`,
      `director1@${d}.org,Director One,director,,`,
    )
    const dry = await checked(text)
    expect(dry).toMatchObject({
      status: 'checked',
      problem_count: 0,
      progress: { done: 4, total: 4 },
      counts: { user: 2, supervisor: 1, manager: 0, director: 1 },
    })
    expect(await inDatabase(d)).toEqual([])
    expect(await told(dry.id)).toEqual([])

    await at(`/${dry.id}/apply`).post()
    expect(await ended(dry.id)).toMatchObject({
      status: 'applied',
      problem_count: 0,
      progress: { done: 4, total: 4 },
      counts: { user: 2, supervisor: 1, manager: 0, director: 1 },
    })
    const rows = Object.fromEntries((await inDatabase(d)).map(row => [row.email.split('@')[0], row]))
    expect(rows.trainee1).toMatchObject({
      name: 'Trainee One',
      role: 'user',
      supervisor_id: supervisor1.id,
      version: 1,
      invited: true,
    })
    expect(rows['trainee.two']).toMatchObject({ name: 'Trainee Two', supervisor_id: rows.new!._id, manager_id: null })
    expect(rows.new).toMatchObject({ role: 'supervisor', manager_id: manager1.id, team_size: 1 })
    expect(rows.director1).toMatchObject({ role: 'director', team_size: 0 })
    // A leader has one more under them; nothing that other services keep of a leader has changed.
    expect(await auth.row(supervisor1.id)).toMatchObject({ team_size: 1, version: 1 })
    expect(await auth.row(manager1.id)).toMatchObject({ team_size: 1, version: 1 })

    const [event, ...more] = await told(dry.id)
    expect(more).toEqual([])
    expect(event!.data).toMatchObject({ import_id: dry.id, by: admin.id })
    const snapshots = event!.data.people as PersonSnapshot[]
    expect(snapshots.map(each => each.email)).toEqual([
      `trainee1@${d}.org`,
      `trainee.two@${d}.org`,
      `new@${d}.org`,
      `director1@${d}.org`,
    ])
    expect(snapshots[0]).toMatchObject({ id: rows.trainee1!._id, supervisor_id: supervisor1.id, version: 1 })

    const { json: entries } = await auth.as(admin).get('/admin/audit?action=people_imported&limit=1')
    expect(entries[0]).toMatchObject({
      by: { id: admin.id, name: 'Root' },
      subject: null,
      after: { file_name: 'people.csv', people: 4, user: 2, supervisor: 1, manager: 0, director: 1 },
    })
    // The file is let go of, the import is kept.
    await eventually(
      async () => (await auth.database.collection('import_parts').countDocuments({ import_id: dry.id })) === 0,
    )
    expect(await auth.database.collection<{ _id: string }>('imports').findOne({ _id: dry.id })).not.toHaveProperty(
      'expires_at',
    )
  })

  test('the admin’s lists say who has not signed in yet; the first sign-in makes them theirs', async () => {
    const d = fresh()
    await applied(csv(`supervisor3@${d}.org,Supervisor Imported,supervisor,,`, `manager1@${d}.org,,manager,,`))
    const listed = async (path: string) =>
      (await auth.as(admin).get(`${path}?search=${d}`)).json.map((each: { email: string; invited?: boolean }) => [
        each.email,
        each.invited,
      ])
    // They are found by their names a moment later than they are there.
    await eventually(async () => expect(await listed('/admin/users')).toContainEqual([`supervisor3@${d}.org`, true]))
    await eventually(async () => expect(await listed('/admin/users')).toContainEqual([`manager1@${d}.org`, true]))
    expect(await listed('/admin/supervisors')).toEqual([[`supervisor3@${d}.org`, true]])
    expect(await listed('/admin/managers')).toEqual([[`manager1@${d}.org`, true]])

    const { json } = await auth.browser().signIn(`supervisor3@${d}.org`)
    expect(json.user).toMatchObject({ name: 'Supervisor Imported', role: 'supervisor' })
    expect(json.user).not.toHaveProperty('invited')
    expect(await listed('/admin/supervisors')).toEqual([[`supervisor3@${d}.org`, undefined]])
    expect(await inDatabase(d)).toHaveLength(2)
  })

  test('the development provider offers the accounts of who was brought in', async () => {
    const d = fresh()
    await applied(csv(`trainee3@${d}.org,Trainee Three,user,,`))
    const browser = auth.browser()
    const { page } = await browser.follow('/api/auth/signin')
    expect(page!.text).toContain(`value="trainee3@${d}.org"`)
  })

  test('a file with problems is refused, all of them told by line, and nothing is brought in', async () => {
    const d = fresh()
    const text = `email;role;name\ntrainee1@${d}.org;user;Trainee One\nbad;admin;=1+1\n\ntrainee1@${d}.org;user\ntrainee1@${d}.org;user;Trainee One\n`
    const refused = await checked(text)
    expect(refused).toMatchObject({ status: 'refused', problem_count: 5, counts: { user: 0 } })
    expect(refused.problems.map(each => [each.line, each.column])).toEqual([
      [3, 'email'],
      [3, 'name'],
      [3, 'role'],
      [5, null],
      [6, 'email'],
    ])
    const answer = await at(`/${refused.id}/apply`).post()
    expect([answer.status, answer.json.code]).toEqual([409, 'conflict'])
    expect(await inDatabase(d)).toEqual([])
    // It can be checked again, once the organisation is what the file expects.
    expect((await at(`/${refused.id}/check`).post()).status).toBe(202)
    expect(await ended(refused.id)).toMatchObject({ status: 'refused', problem_count: 5 })
  })

  test('of very many problems the first thousand are told, and all are counted', async () => {
    const lines = Array.from({ length: limits.importMaxProblems + 200 }, (_, line) => `nobody${line},,user,,`)
    const refused = await checked(csv(...lines))
    expect(refused.problem_count).toBe(limits.importMaxProblems + 200)
    expect(refused.problems).toHaveLength(limits.importMaxProblems)
    expect(refused.problems.at(-1)!.line).toBe(limits.importMaxProblems + 1)
  })

  test('what changed between check and apply refuses it, and nobody is in', async () => {
    const d = fresh()
    const supervisor1 = await auth.person('supervisor')
    const users = await Promise.all([1, 2, 3].map(() => auth.person('user')))
    const lines = Array.from({ length: 8 }, (_, each) => `u${each}@${d}.org,,user,${supervisor1.email},`)
    const dry = await checked(csv(...lines))
    expect(dry.problems).toEqual([])
    for (const user of users)
      await auth.as(admin).call('PUT', `/admin/users/${user.id}/supervisor?supervisor_id=${supervisor1.id}`)
    await at(`/${dry.id}/apply`).post()
    const refused = await ended(dry.id)
    expect(refused).toMatchObject({ status: 'refused', problem_count: 1, counts: { user: 0 } })
    expect(refused.problems[0]).toMatchObject({ line: 9, column: 'supervisor_email' })
    expect(refused.problems[0]!.message).toContain('would have 11 users')
    expect(await inDatabase(d)).toEqual([])
    expect(await auth.row(supervisor1.id)).toMatchObject({ team_size: 3 })
    expect(await told(dry.id)).toEqual([])
  })

  test('two files with the same people: the second is refused', async () => {
    const d = fresh()
    await applied(csv(`trainee1@${d}.org,Trainee One,user,,`))
    const second = await checked(csv(`trainee1@${d}.org,Trainee One,user,,`))
    expect(second.problems[0]!.message).toBe(`trainee1@${d}.org is already here: Trainee One, a user.`)
  })

  test(`${limits.importMaxLines} lines are all in, told in events of at most ${peoplePerImportEvent}`, async () => {
    const d = fresh()
    const lines = Array.from({ length: limits.importMaxLines }, (_, each) => {
      const lead = each - (each % 11)
      return each === lead
        ? `p${each}@${d}.org,P ${each},supervisor,,`
        : `p${each}@${d}.org,P ${each},user,p${lead}@${d}.org,`
    })
    const done = await applied(csv(...lines))
    expect(done).toMatchObject({ status: 'applied', progress: { done: 10_000, total: 10_000 } })
    expect(await people().countDocuments({ email: { $regex: `@${d}\\.` }, invited: true })).toBe(10_000)
    const events = await told(done.id)
    const sizes = events.map(event => (event.data.people as unknown[]).length)
    expect(sizes.every(size => size <= peoplePerImportEvent)).toBe(true)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000)
    await eventually(async () =>
      expect(await people().countDocuments({ search_words: `p9999@${d}.org` } as object)).toBe(1),
    )
  }, 120_000)
})

describe('the file in its parts', () => {
  test('is put together in order, and a part sent again replaces the one before', async () => {
    const d = fresh()
    const right = csv(`trainee1@${d}.org,Ännə 😀,user,,`, `trainee.two@${d}.org,Trainee Two,user,,`)
    const id = await upload(right.replace('trainee1@', 'trainee9@'), 7)
    for (const [index, text] of cut(right, 7).entries()) await at(`/${id}/parts/${index}`).put({ text })
    await at(`/${id}/check`).post()
    expect(await ended(id)).toMatchObject({ status: 'checked', counts: { user: 2 } })
    const late = await at(`/${id}/parts/0`).put({ text: 'other' })
    expect([late.status, late.json.code]).toEqual([409, 'conflict'])
    await at(`/${id}/apply`).post()
    await ended(id)
    expect((await inDatabase(d)).map(row => (row as unknown as { name: string }).name)).toContain('Ännə 😀')
  })

  test('must be all there before it is checked', async () => {
    const { json } = await at('').post({ file_name: 'two.csv', parts: 2 })
    await at(`/${json.import.id}/parts/1`).put({ text: 'x' })
    const answer = await at(`/${json.import.id}/check`).post()
    expect([answer.status, answer.json.code]).toEqual([409, 'conflict'])
    expect((await at(`/${json.import.id}/apply`).post()).status).toBe(409)
    expect((await at(`/${json.import.id}`).get()).json.status).toBe('uploading')
  })

  test('a part that is none, too large or cut within a character is refused', async () => {
    const { json } = await at('').post({ file_name: 'one.csv', parts: 1 })
    const part = (index: number | string, text: string) => at(`/${json.import.id}/parts/${index}`).put({ text })
    expect((await part(1, 'x')).status).toBe(404)
    expect((await part(99, 'x')).status).toBe(404)
    expect((await part('x', 'x')).status).toBe(404)
    expect((await part(0, '')).status).toBe(422)
    expect((await part(0, 'x'.repeat(limits.importPartCharacters + 1))).status).toBe(422)
    expect((await part(0, 'a\ud83d')).status).toBe(422)
    expect((await part(0, '\u{ffff}'.repeat(limits.importPartCharacters))).status).toBe(200)
  })

  test.each([
    [{ file_name: '', parts: 1 }],
    [{ file_name: 'x'.repeat(limits.titleMaxLength + 1), parts: 1 }],
    [{ file_name: 'x', parts: 0 }],
    [{ file_name: 'x', parts: limits.importMaxParts + 1 }],
    [{}],
  ])('an import begun with %j is refused', async body => {
    expect((await at('').post(body)).status).toBe(422)
  })

  test('what is not finished goes after a day', async () => {
    const id = await upload(csv(`trainee1@${fresh()}.org,,user,,`))
    const row = await auth.database.collection<{ _id: string; expires_at: Date }>('imports').findOne({ _id: id })
    expect(row!.expires_at.getTime()).toBe(auth.clock.now() + 24 * 3_600_000)
    const part = await auth.database
      .collection<{ _id: string; expires_at: Date }>('import_parts')
      .findOne({ import_id: id })
    expect(part!.expires_at).toEqual(row!.expires_at)
    for (const name of ['imports', 'import_parts', 'import_runs']) {
      const indexes = await auth.database.collection(name).indexes()
      expect(indexes.find(index => index.key.expires_at === 1)).toMatchObject({ expireAfterSeconds: 0 })
    }
  })
})

describe('who may', () => {
  test.each(['user', 'supervisor', 'manager', 'director'] as const)('a %s may not import', async role => {
    const id = await upload(csv(`trainee1@${fresh()}.org,,user,,`))
    const who = await auth.person(role)
    const answers = [
      await at('', who).post({ file_name: 'x', parts: 1 }),
      await at(`/${id}/parts/0`, who).put({ text: 'x' }),
      await at(`/${id}/check`, who).post(),
      await at(`/${id}/apply`, who).post(),
      await at(`/${id}`, who).get(),
    ]
    expect(answers.map(answer => answer.status)).toEqual([403, 403, 403, 403, 403])
    expect((await at(`/${id}`).get()).json.status).toBe('uploading')
  })

  test('an import that nobody began is not found', async () => {
    expect((await at('/nothing').get()).status).toBe(404)
    expect((await at('/nothing/parts/0').put({ text: 'x' })).status).toBe(404)
    expect((await at('/nothing/check').post()).status).toBe(404)
    expect((await at('/nothing/apply').post()).status).toBe(404)
  })
})

describe('at once, and broken off', () => {
  const many = (d: string, count = 3_000) =>
    csv(...Array.from({ length: count }, (_, each) => `u${each}@${d}.org,,user,,`))

  test('applied many times at two replicas, everybody is in once', async () => {
    const d = fresh()
    const dry = await checked(many(d, 300))
    const calls = [auth, replica, auth, replica, auth, replica].map(world =>
      at(`/${dry.id}/apply`, admin, world).post(),
    )
    const answers = await Promise.all(calls)
    expect(answers.map(answer => answer.status)).toEqual([202, 202, 202, 202, 202, 202])
    expect((await ended(dry.id, replica)).status).toBe('applied')
    expect(await inDatabase(d)).toHaveLength(300)
    expect((await told(dry.id)).flatMap(event => event.data.people)).toHaveLength(300)
    // Much later, too, it is answered as done.
    expect((await at(`/${dry.id}/apply`).post()).json.import.status).toBe('applied')
    expect((await at(`/${dry.id}/check`).post()).status).toBe(409)
    expect(await inDatabase(d)).toHaveLength(300)
  })

  test('two files that want the last places of one team: one gets them', async () => {
    const supervisor1 = await auth.person('supervisor')
    const files = [fresh(), fresh()].map(d =>
      csv(...Array.from({ length: 6 }, (_, each) => `u${each}@${d}.org,,user,${supervisor1.email},`)),
    )
    const dry = await Promise.all(files.map(checked))
    expect(dry.map(each => each.problem_count)).toEqual([0, 0])
    await Promise.all(dry.map((each, index) => at(`/${each.id}/apply`, admin, index ? replica : auth).post()))
    const results = await Promise.all(dry.map(each => ended(each.id)))
    expect(results.map(each => each.status).sort()).toEqual(['applied', 'refused'])
    expect(await auth.row(supervisor1.id)).toMatchObject({ team_size: 6 })
    expect(await people().countDocuments({ supervisor_id: supervisor1.id } as object)).toBe(6)
  })

  test('a leader who leaves their role meanwhile leaves nobody behind', async () => {
    for (let round = 0; round < 4; round += 1) {
      const d = fresh()
      const supervisor1 = await auth.person('supervisor')
      const dry = await checked(csv(`trainee1@${d}.org,,user,${supervisor1.email},`))
      await Promise.all([
        at(`/${dry.id}/apply`).post(),
        auth.as(admin).put(`/admin/users/${supervisor1.id}/role`, { role: 'director' }),
      ])
      const { status } = await ended(dry.id)
      const [trainee1] = await inDatabase(d)
      if (status === 'applied') expect(trainee1).toMatchObject({ supervisor_id: null })
      else expect([status, trainee1]).toEqual(['refused', undefined])
      expect(await auth.row(supervisor1.id)).toMatchObject({ role: 'director', team_size: 0 })
    }
  })

  test('first sign-ins that meet the import of their address never make two people of one', async () => {
    const d = fresh()
    const dry = await checked(many(d, 6_000))
    await at(`/${dry.id}/apply`, admin, replica).post()
    const emails = [0, 1, 2_000, 5_999].map(each => `u${each}@${d}.org`)
    const answers = await Promise.all(emails.map(email => auth.browser().signIn(email)))
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200])
    const { status } = await ended(dry.id)
    const rows = await people()
      .find({ email: { $in: emails } })
      .toArray()
    expect(rows.map(row => row.email).sort()).toEqual([...emails].sort())
    expect(rows.filter(row => row.invited)).toEqual([])
    // Either they were quicker, and the file named somebody who was here; or they are those who were brought in.
    expect(await people().countDocuments({ email: { $regex: `@${d}\\.` } })).toBe(status === 'applied' ? 6_000 : 4)
  })

  test('one that nobody has heard of for long is interrupted, and can be done again', async () => {
    const d = fresh()
    const dry = await checked(many(d, 10))
    const imports = auth.database.collection<{ _id: string }>('imports')
    // As a killed process leaves it behind.
    await imports.updateOne(
      { _id: dry.id },
      { $set: { status: 'applying', run: 'dead', begun_at: new Date(auth.clock.now()) } },
    )
    expect((await at(`/${dry.id}`).get()).json.status).toBe('applying')
    expect((await at(`/${dry.id}/apply`).post()).json.import.status).toBe('applying')
    auth.clock.advance(limits.importSilentMs + 1)
    expect((await at(`/${dry.id}`).get()).json.status).toBe('interrupted')
    expect(await inDatabase(d)).toEqual([])
    await at(`/${dry.id}/check`).post()
    expect((await ended(dry.id)).status).toBe('checked')
    await imports.updateOne({ _id: dry.id }, { $set: { status: 'checking', run: 'dead' } })
    auth.clock.advance(limits.importSilentMs + 1)
    const [one, two] = await Promise.all([at(`/${dry.id}/apply`).post(), at(`/${dry.id}/apply`).post()])
    expect([one.status, two.status]).toEqual([202, 202])
    expect((await ended(dry.id)).status).toBe('applied')
    expect(await inDatabase(d)).toHaveLength(10)
  })

  test('a run that was taken over brings in nobody, though it goes on', async () => {
    const d = fresh()
    const dry = await checked(many(d))
    const said: string[] = []
    const log: Logger = Object.create(auth.world.ports.log ?? createLogger('auth', 'silent'))
    log.error = ((_: object, words: string) => void said.push(words)) as Logger['error']
    const stalled = await startAuth({}, { world: { ...auth.world, ports: { ...auth.world.ports, log } } })
    await at(`/${dry.id}/apply`, admin, stalled).post()
    const imports = auth.database.collection<{ _id: string; status: string }>('imports')
    const { matchedCount } = await imports.updateOne({ _id: dry.id, status: 'applying' }, { $set: { run: 'another' } })
    expect(matchedCount).toBe(1)
    await eventually(() => said.includes('an import broke off'))
    expect(await inDatabase(d)).toEqual([])
    expect(await imports.findOne({ _id: dry.id })).toMatchObject({ status: 'applying', run: 'another' })
    await stalled.service.stop()
  })

  test('a stop in the middle leaves nobody in and says so; another replica does it', async () => {
    const d = fresh()
    const dry = await checked(many(d))
    const stopped = await startAuth({}, { world: auth.world })
    expect((await at(`/${dry.id}/apply`, admin, stopped).post()).status).toBe(202)
    await stopped.service.stop()
    expect((await at(`/${dry.id}`).get()).json.status).toBe('interrupted')
    expect(await inDatabase(d)).toEqual([])
    await at(`/${dry.id}/apply`).post()
    expect((await ended(dry.id)).status).toBe('applied')
    expect(await inDatabase(d)).toHaveLength(3_000)
  })
})
