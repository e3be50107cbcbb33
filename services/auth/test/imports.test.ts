import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { peoplePerImportEvent } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { PeopleImport } from '@watchline/contracts/people-imports'
import { createLogger, type Logger } from '@watchline/kit/observability/log'
import { eventually } from '@watchline/testing/harness'
import { holdDocument } from '@watchline/testing/held-document'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let auth: AuthWorld
/** A second replica of the same service. */
let replica: AuthWorld
let admin: Person
beforeAll(async () => {
  auth = await startAuth()
  replica = await startAuth({}, { world: auth.world })
  admin = await auth.addPerson('admin', { name: 'Root' })
})
afterAll(async () => {
  await replica.service.stop()
  await auth.stop()
})

const header = 'email,name,role,supervisor_email,manager_email'
let nextFile = 0
/** A domain that no other test in this file uses. */
function newDomain() {
  nextFile += 1
  return `f${nextFile}`
}
const csv = (...lines: string[]) => [header, ...lines].join('\n')
const peopleCollection = () => auth.database.collection<{ _id: string; email: string; invited?: boolean }>('people')
const findPeople = (domain: string) =>
  peopleCollection()
    .find({ email: { $regex: `@${domain}\\.` } })
    .toArray()
const importApi = (path: string, caller: Person = admin, world = auth) => {
  const call = world.callAs(caller)
  return {
    get: () => call.get(`/admin/imports${path}`),
    post: (body?: unknown) => call.post(`/admin/imports${path}`, body),
    put: (body: unknown) => call.put(`/admin/imports${path}`, body),
  }
}

function splitText(text: string, size: number): string[] {
  const characters = [...text]
  const parts: string[] = []
  for (let from = 0; from < characters.length; from += size) parts.push(characters.slice(from, from + size).join(''))
  return parts
}

async function upload(text: string, size: number = limits.importPartCharacters): Promise<string> {
  const parts = splitText(text, size)
  const { json, status } = await importApi('').post({ file_name: 'people.csv', parts: parts.length })
  expect(status).toBe(201)
  expect(json.import).toMatchObject({ status: 'uploading', problem_count: 0, file_name: 'people.csv' })
  // Parts may arrive concurrently and in any order.
  const uploaded = await Promise.all(
    parts.map((part, index) => importApi(`/${json.import.id}/parts/${index}`).put({ text: part })).reverse(),
  )
  expect(uploaded.map(answer => answer.status)).toEqual(parts.map(() => 200))
  return json.import.id
}

async function waitForEnd(id: string, world = auth): Promise<PeopleImport> {
  return eventually(async () => {
    const { json } = await importApi(`/${id}`, admin, world).get()
    expect(['checking', 'applying']).not.toContain(json.status)
    return json
  })
}

async function checkFile(text: string): Promise<PeopleImport> {
  const id = await upload(text)
  const { status, json } = await importApi(`/${id}/check`).post()
  expect([status, json.import.status]).toEqual([202, 'checking'])
  return waitForEnd(id)
}

async function applyFile(text: string): Promise<PeopleImport> {
  const { id, problems } = await checkFile(text)
  expect(problems).toEqual([])
  expect((await importApi(`/${id}/apply`).post()).status).toBe(202)
  return waitForEnd(id)
}

const importEvents = async (id: string) => (await auth.listEvents(id)).filter(event => event.type === 'users.imported')

describe('importing people', () => {
  test('a check changes nothing; applying creates everybody in their teams', async () => {
    const d = newDomain()
    const supervisor1 = await auth.addPerson('supervisor', { name: 'Supervisor One' })
    const manager1 = await auth.addPerson('manager', { name: 'Manager One' })
    const text = csv(
      `trainee1@${d}.org,Trainee One,user,${supervisor1.email},`,
      `TRAINEE.TWO@${d}.org,,User,new@${d}.org,`,
      `new@${d}.org,New,supervisor,,${manager1.email}`,
      `director1@${d}.org,Director One,director,,`,
    )
    const checked = await checkFile(text)
    expect(checked).toMatchObject({
      status: 'checked',
      problem_count: 0,
      progress: { done: 4, total: 4 },
      counts: { user: 2, supervisor: 1, manager: 0, director: 1 },
    })
    expect(await findPeople(d)).toEqual([])
    expect(await importEvents(checked.id)).toEqual([])

    await importApi(`/${checked.id}/apply`).post()
    expect(await waitForEnd(checked.id)).toMatchObject({
      status: 'applied',
      problem_count: 0,
      progress: { done: 4, total: 4 },
      counts: { user: 2, supervisor: 1, manager: 0, director: 1 },
    })
    const rows = Object.fromEntries((await findPeople(d)).map(row => [row.email.split('@')[0], row]))
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
    // The team sizes change, but nothing that other services project.
    expect(await auth.findPerson(supervisor1.id)).toMatchObject({ team_size: 1, version: 1 })
    expect(await auth.findPerson(manager1.id)).toMatchObject({ team_size: 1, version: 1 })

    const [event, ...otherEvents] = await importEvents(checked.id)
    expect(otherEvents).toEqual([])
    expect(event!.data).toMatchObject({ import_id: checked.id, by: admin.id })
    const snapshots = event!.data.people as PersonSnapshot[]
    expect(snapshots.map(person => person.email)).toEqual([
      `trainee1@${d}.org`,
      `trainee.two@${d}.org`,
      `new@${d}.org`,
      `director1@${d}.org`,
    ])
    expect(snapshots[0]).toMatchObject({ id: rows.trainee1!._id, supervisor_id: supervisor1.id, version: 1 })

    const { json: entries } = await auth.callAs(admin).get('/admin/audit?action=people_imported&limit=1')
    expect(entries[0]).toMatchObject({
      by: { id: admin.id, name: 'Root' },
      subject: null,
      after: { file_name: 'people.csv', people: 4, user: 2, supervisor: 1, manager: 0, director: 1 },
    })
    // The parts of the file are deleted; the import stays.
    await eventually(
      async () => (await auth.database.collection('import_parts').countDocuments({ import_id: checked.id })) === 0,
    )
    expect(await auth.database.collection<{ _id: string }>('imports').findOne({ _id: checked.id })).not.toHaveProperty(
      'expires_at',
    )
  })

  test('the administrator’s lists mark invited people until their first sign-in', async () => {
    const d = newDomain()
    await applyFile(csv(`supervisor3@${d}.org,Supervisor Imported,supervisor,,`, `manager1@${d}.org,,manager,,`))
    const listPeople = async (path: string) =>
      (await auth.callAs(admin).get(`${path}?search=${d}`)).json.map((person: { email: string; invited?: boolean }) => [
        person.email,
        person.invited,
      ])
    // Search words follow after the import.
    await eventually(async () =>
      expect(await listPeople('/admin/users')).toContainEqual([`supervisor3@${d}.org`, true]),
    )
    await eventually(async () => expect(await listPeople('/admin/users')).toContainEqual([`manager1@${d}.org`, true]))
    expect(await listPeople('/admin/supervisors')).toEqual([[`supervisor3@${d}.org`, true]])
    expect(await listPeople('/admin/managers')).toEqual([[`manager1@${d}.org`, true]])

    const { json } = await auth.openBrowser().signIn(`supervisor3@${d}.org`)
    expect(json.user).toMatchObject({ name: 'Supervisor Imported', role: 'supervisor' })
    expect(json.user).not.toHaveProperty('invited')
    expect(await listPeople('/admin/supervisors')).toEqual([[`supervisor3@${d}.org`, undefined]])
    expect(await findPeople(d)).toHaveLength(2)
  })

  test('the development provider offers the accounts of invited people', async () => {
    const d = newDomain()
    await applyFile(csv(`trainee3@${d}.org,Trainee Three,user,,`))
    const browser = auth.openBrowser()
    const { page } = await browser.follow('/api/auth/signin')
    expect(page!.text).toContain(`value="trainee3@${d}.org"`)
  })

  test('a file with problems is refused with all of them by line, and creates nobody', async () => {
    const d = newDomain()
    const text = `email;role;name\ntrainee1@${d}.org;user;Trainee One\nbad;admin;=1+1\n\ntrainee1@${d}.org;user\ntrainee1@${d}.org;user;Trainee One\n`
    const refused = await checkFile(text)
    expect(refused).toMatchObject({ status: 'refused', problem_count: 5, counts: { user: 0 } })
    expect(refused.problems.map(problem => [problem.line, problem.column])).toEqual([
      [3, 'email'],
      [3, 'name'],
      [3, 'role'],
      [5, null],
      [6, 'email'],
    ])
    const answer = await importApi(`/${refused.id}/apply`).post()
    expect([answer.status, answer.json.code]).toEqual([409, 'conflict'])
    expect(await findPeople(d)).toEqual([])
    // It can be checked again after a change of the organisation.
    expect((await importApi(`/${refused.id}/check`).post()).status).toBe(202)
    expect(await waitForEnd(refused.id)).toMatchObject({ status: 'refused', problem_count: 5 })
  })

  test('of very many problems the first thousand are returned and all are counted', async () => {
    const lines = Array.from({ length: limits.importMaxProblems + 200 }, (_, line) => `nobody${line},,user,,`)
    const refused = await checkFile(csv(...lines))
    expect(refused.problem_count).toBe(limits.importMaxProblems + 200)
    expect(refused.problems).toHaveLength(limits.importMaxProblems)
    expect(refused.problems.at(-1)!.line).toBe(limits.importMaxProblems + 1)
  })

  test('a change after the check can refuse the import, which then creates nobody', async () => {
    const d = newDomain()
    const supervisor1 = await auth.addPerson('supervisor')
    const users = await Promise.all([1, 2, 3].map(() => auth.addPerson('user')))
    const lines = Array.from({ length: 8 }, (_, index) => `u${index}@${d}.org,,user,${supervisor1.email},`)
    const checked = await checkFile(csv(...lines))
    expect(checked.problems).toEqual([])
    for (const user of users)
      await auth.callAs(admin).call('PUT', `/admin/users/${user.id}/supervisor?supervisor_id=${supervisor1.id}`)
    await importApi(`/${checked.id}/apply`).post()
    const refused = await waitForEnd(checked.id)
    expect(refused).toMatchObject({ status: 'refused', problem_count: 1, counts: { user: 0 } })
    expect(refused.problems[0]).toMatchObject({ line: 9, column: 'supervisor_email' })
    expect(refused.problems[0]!.message).toContain('would have 11 users')
    expect(await findPeople(d)).toEqual([])
    expect(await auth.findPerson(supervisor1.id)).toMatchObject({ team_size: 3 })
    expect(await importEvents(checked.id)).toEqual([])
  })

  test('a second file with the same people is refused', async () => {
    const d = newDomain()
    await applyFile(csv(`trainee1@${d}.org,Trainee One,user,,`))
    const second = await checkFile(csv(`trainee1@${d}.org,Trainee One,user,,`))
    expect(second.problems[0]!.message).toBe(`trainee1@${d}.org is already here: Trainee One, a user.`)
  })

  test(`${limits.importMaxLines} lines are imported, with events of at most ${peoplePerImportEvent}`, async () => {
    const d = newDomain()
    const lines = Array.from({ length: limits.importMaxLines }, (_, index) => {
      const leader = index - (index % 11)
      return index === leader
        ? `p${index}@${d}.org,P ${index},supervisor,,`
        : `p${index}@${d}.org,P ${index},user,p${leader}@${d}.org,`
    })
    const applied = await applyFile(csv(...lines))
    expect(applied).toMatchObject({ status: 'applied', progress: { done: 10_000, total: 10_000 } })
    expect(await peopleCollection().countDocuments({ email: { $regex: `@${d}\\.` }, invited: true })).toBe(10_000)
    const events = await importEvents(applied.id)
    const sizes = events.map(event => (event.data.people as unknown[]).length)
    expect(sizes.every(size => size <= peoplePerImportEvent)).toBe(true)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000)
    await eventually(async () =>
      expect(await peopleCollection().countDocuments({ search_words: `p9999@${d}.org` } as object)).toBe(1),
    )
  })
})

describe('the parts of a file', () => {
  test('are joined in order, and a repeated part replaces the earlier one', async () => {
    const d = newDomain()
    const correct = csv(`trainee1@${d}.org,Ännə 😀,user,,`, `trainee.two@${d}.org,Trainee Two,user,,`)
    const id = await upload(correct.replace('trainee1@', 'trainee9@'), 7)
    for (const [index, text] of splitText(correct, 7).entries()) await importApi(`/${id}/parts/${index}`).put({ text })
    await importApi(`/${id}/check`).post()
    expect(await waitForEnd(id)).toMatchObject({ status: 'checked', counts: { user: 2 } })
    const lateAnswer = await importApi(`/${id}/parts/0`).put({ text: 'other' })
    expect([lateAnswer.status, lateAnswer.json.code]).toEqual([409, 'conflict'])
    await importApi(`/${id}/apply`).post()
    await waitForEnd(id)
    expect((await findPeople(d)).map(row => (row as unknown as { name: string }).name)).toContain('Ännə 😀')
  })

  test('must all be there before the check', async () => {
    const { json } = await importApi('').post({ file_name: 'two.csv', parts: 2 })
    await importApi(`/${json.import.id}/parts/1`).put({ text: 'x' })
    const answer = await importApi(`/${json.import.id}/check`).post()
    expect([answer.status, answer.json.code]).toEqual([409, 'conflict'])
    expect((await importApi(`/${json.import.id}/apply`).post()).status).toBe(409)
    expect((await importApi(`/${json.import.id}`).get()).json.status).toBe('uploading')
  })

  test('an unknown, too large or malformed part is refused', async () => {
    const { json } = await importApi('').post({ file_name: 'one.csv', parts: 1 })
    const part = (index: number | string, text: string) => importApi(`/${json.import.id}/parts/${index}`).put({ text })
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
  ])('an import created with %j is refused', async body => {
    expect((await importApi('').post(body)).status).toBe(422)
  })

  test('of unfinished imports expire after a day', async () => {
    const id = await upload(csv(`trainee1@${newDomain()}.org,,user,,`))
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

describe('rights', () => {
  test.each(['user', 'supervisor', 'manager', 'director'] as const)('a %s may not import', async role => {
    const id = await upload(csv(`trainee1@${newDomain()}.org,,user,,`))
    const caller = await auth.addPerson(role)
    const answers = [
      await importApi('', caller).post({ file_name: 'x', parts: 1 }),
      await importApi(`/${id}/parts/0`, caller).put({ text: 'x' }),
      await importApi(`/${id}/check`, caller).post(),
      await importApi(`/${id}/apply`, caller).post(),
      await importApi(`/${id}`, caller).get(),
    ]
    expect(answers.map(answer => answer.status)).toEqual([403, 403, 403, 403, 403])
    expect((await importApi(`/${id}`).get()).json.status).toBe('uploading')
  })

  test('an unknown import is not found', async () => {
    expect((await importApi('/nothing').get()).status).toBe(404)
    expect((await importApi('/nothing/parts/0').put({ text: 'x' })).status).toBe(404)
    expect((await importApi('/nothing/check').post()).status).toBe(404)
    expect((await importApi('/nothing/apply').post()).status).toBe(404)
  })
})

describe('concurrency and interruption', () => {
  const usersFile = (d: string, count = 3_000) =>
    csv(...Array.from({ length: count }, (_, index) => `u${index}@${d}.org,,user,,`))

  test('applied several times at two replicas, an import creates everybody once', async () => {
    const d = newDomain()
    const checked = await checkFile(usersFile(d, 300))
    const calls = [auth, replica, auth, replica, auth, replica].map(world =>
      importApi(`/${checked.id}/apply`, admin, world).post(),
    )
    const answers = await Promise.all(calls)
    expect(answers.map(answer => answer.status)).toEqual([202, 202, 202, 202, 202, 202])
    expect((await waitForEnd(checked.id, replica)).status).toBe('applied')
    expect(await findPeople(d)).toHaveLength(300)
    expect((await importEvents(checked.id)).flatMap(event => event.data.people)).toHaveLength(300)
    // A later call is answered as applied.
    expect((await importApi(`/${checked.id}/apply`).post()).json.import.status).toBe('applied')
    expect((await importApi(`/${checked.id}/check`).post()).status).toBe(409)
    expect(await findPeople(d)).toHaveLength(300)
  })

  test('one of two files for the last seats of a team is applied', async () => {
    const supervisor1 = await auth.addPerson('supervisor')
    const files = [newDomain(), newDomain()].map(d =>
      csv(...Array.from({ length: 6 }, (_, index) => `u${index}@${d}.org,,user,${supervisor1.email},`)),
    )
    const checked = await Promise.all(files.map(checkFile))
    expect(checked.map(state => state.problem_count)).toEqual([0, 0])
    await Promise.all(
      checked.map((state, index) => importApi(`/${state.id}/apply`, admin, index ? replica : auth).post()),
    )
    const results = await Promise.all(checked.map(state => waitForEnd(state.id)))
    expect(results.map(state => state.status).sort()).toEqual(['applied', 'refused'])
    expect(await auth.findPerson(supervisor1.id)).toMatchObject({ team_size: 6 })
    expect(await peopleCollection().countDocuments({ supervisor_id: supervisor1.id } as object)).toBe(6)
  })

  test('a concurrent change of the leader’s role leaves nobody in the team', async () => {
    for (let round = 0; round < 4; round += 1) {
      const d = newDomain()
      const supervisor1 = await auth.addPerson('supervisor')
      const checked = await checkFile(csv(`trainee1@${d}.org,,user,${supervisor1.email},`))
      await Promise.all([
        importApi(`/${checked.id}/apply`).post(),
        auth.callAs(admin).put(`/admin/users/${supervisor1.id}/role`, { role: 'director' }),
      ])
      const { status } = await waitForEnd(checked.id)
      const [trainee1] = await findPeople(d)
      if (status === 'applied') expect(trainee1).toMatchObject({ supervisor_id: null })
      else expect([status, trainee1]).toEqual(['refused', undefined])
      expect(await auth.findPerson(supervisor1.id)).toMatchObject({ role: 'director', team_size: 0 })
    }
  })

  test('a first sign-in concurrent with the import of its address creates one person', async () => {
    const d = newDomain()
    const checked = await checkFile(usersFile(d, 6_000))
    await importApi(`/${checked.id}/apply`, admin, replica).post()
    const emails = [0, 1, 2_000, 5_999].map(index => `u${index}@${d}.org`)
    const answers = await Promise.all(emails.map(email => auth.openBrowser().signIn(email)))
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200])
    const { status } = await waitForEnd(checked.id)
    const rows = await peopleCollection()
      .find({ email: { $in: emails } })
      .toArray()
    expect(rows.map(row => row.email).sort()).toEqual([...emails].sort())
    expect(rows.filter(row => row.invited)).toEqual([])
    // If the sign-ins were first, the import is refused; otherwise they claim the invitations.
    expect(await peopleCollection().countDocuments({ email: { $regex: `@${d}\\.` } })).toBe(
      status === 'applied' ? 6_000 : 4,
    )
  })

  test('a run without progress reports is interrupted and can be started again', async () => {
    const d = newDomain()
    const checked = await checkFile(usersFile(d, 10))
    const imports = auth.database.collection<{ _id: string }>('imports')
    // The state that a killed process leaves.
    await imports.updateOne(
      { _id: checked.id },
      { $set: { status: 'applying', run: 'dead', begun_at: new Date(auth.clock.now()) } },
    )
    expect((await importApi(`/${checked.id}`).get()).json.status).toBe('applying')
    expect((await importApi(`/${checked.id}/apply`).post()).json.import.status).toBe('applying')
    auth.clock.advance(limits.importStaleMs + 1)
    expect((await importApi(`/${checked.id}`).get()).json.status).toBe('interrupted')
    expect(await findPeople(d)).toEqual([])
    await importApi(`/${checked.id}/check`).post()
    expect((await waitForEnd(checked.id)).status).toBe('checked')
    await imports.updateOne({ _id: checked.id }, { $set: { status: 'checking', run: 'dead' } })
    auth.clock.advance(limits.importStaleMs + 1)
    const [first, second] = await Promise.all([
      importApi(`/${checked.id}/apply`).post(),
      importApi(`/${checked.id}/apply`).post(),
    ])
    expect([first.status, second.status]).toEqual([202, 202])
    expect((await waitForEnd(checked.id)).status).toBe('applied')
    expect(await findPeople(d)).toHaveLength(10)
  })

  test('a run that another one replaced creates nobody', async () => {
    const d = newDomain()
    const checked = await checkFile(usersFile(d))
    const messages: string[] = []
    const log: Logger = Object.create(auth.world.ports.log ?? createLogger('auth', 'silent'))
    log.error = ((_: object, message: string) => void messages.push(message)) as Logger['error']
    const stalled = await startAuth({}, { world: { ...auth.world, ports: { ...auth.world.ports, log } } })
    // The run cannot end before another one has replaced it.
    const head = await holdDocument(auth.database, 'audit_chain', 'head')
    await importApi(`/${checked.id}/apply`, admin, stalled).post()
    const imports = auth.database.collection<{ _id: string; status: string }>('imports')
    const { matchedCount } = await imports.updateOne(
      { _id: checked.id, status: 'applying' },
      { $set: { run: 'another' } },
    )
    expect(matchedCount).toBe(1)
    await head.release()
    await eventually(() => messages.includes('import failed, an administrator can start it again'))
    expect(await findPeople(d)).toEqual([])
    expect(await imports.findOne({ _id: checked.id })).toMatchObject({ status: 'applying', run: 'another' })
    await stalled.service.stop()
  })

  test('a stop interrupts the import without effect; another replica can apply it', async () => {
    const d = newDomain()
    const checked = await checkFile(usersFile(d))
    const stopped = await startAuth({}, { world: auth.world })
    expect((await importApi(`/${checked.id}/apply`, admin, stopped).post()).status).toBe(202)
    await stopped.service.stop()
    expect((await importApi(`/${checked.id}`).get()).json.status).toBe('interrupted')
    expect(await findPeople(d)).toEqual([])
    await importApi(`/${checked.id}/apply`).post()
    expect((await waitForEnd(checked.id)).status).toBe('applied')
    expect(await findPeople(d)).toHaveLength(3_000)
  })
})

test('one administrator begins a bounded number of imports in an hour', async () => {
  const other = await auth.addPerson('admin')
  for (let used = 1; used < limits.importRateLimit; used += 1)
    await auth.world.ports.live.counters.countHit(`imports:${other.id}`, limits.importRateWindowMs, auth.clock.now())
  const begin = () => auth.callAs(other).post('/admin/imports', { file_name: 'people.csv', parts: 1 })
  expect((await begin()).status).toBe(201)
  const refused = await begin()
  expect(refused).toMatchObject({ status: 429, json: { code: 'too_many' } })
  expect(refused.json.detail).toMatch(/very many imports/)
})
