import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type AuditEntry, auditEntry } from '@watchline/contracts/audit'
import { erasedName } from '@watchline/contracts/people'
import { createDatabase } from '@watchline/kit/mongo/database'
import { createEventPublisher } from '@watchline/testing/events'
import { eventually } from '@watchline/testing/harness'
import { routes } from '../src/routes/index.ts'
import { createAuditStore } from '../src/store/audit.ts'
import { isDatabaseResponding } from '../src/store/database-health.ts'
import { type AuthWorld, type Person, rootAdmin, startAuth } from './_util.ts'

let auth: AuthWorld
let admin: Person
beforeAll(async () => {
  auth = await startAuth()
  const { json } = await auth.anonymous.post('/admin/setup', rootAdmin)
  admin = { ...json.admin, version: 1 }
})
afterAll(() => auth.stop())

const assignRole = (id: string, role: string) => auth.callAs(admin).put(`/admin/users/${id}/role`, { role })
const assignSupervisor = (id: string, supervisorId: string) =>
  auth.callAs(admin).put(`/admin/users/${id}/supervisor?supervisor_id=${supervisorId}`)
const readAuditLog = (query = '') => auth.callAs(admin).get(`/admin/audit${query}`)
async function readEntries(query = ''): Promise<AuditEntry[]> {
  const answer = await readAuditLog(query)
  expect(answer.status).toBe(200)
  return auditEntry.array().parse(answer.json)
}
const countEntries = () => auth.database.collection('audit').countDocuments()

describe('the audit log records', () => {
  const by = () => ({ id: admin.id, name: 'First Admin' })
  const subjectOf = (person: Person, name: string) => ({ id: person.id, name, email: person.email })

  test('the setup, without an actor', async () => {
    expect(await readEntries('?action=admin_created')).toMatchObject([
      { by: null, subject: { id: admin.id, name: 'First Admin' }, before: {}, after: { role: 'admin' } },
    ])
  })

  test('changed words of mails once, which notification reports twice', async () => {
    const publish = createEventPublisher(auth.world.ports.bus)
    const change = { field: 'subject', before: 'Overdue', after: 'Late' }
    const at = '2026-11-20T10:00:00.000Z'
    const wording = { setting: 'wording' as const, kind: 'task_overdue', is_default: false, changes: [change] }
    const event = { ...wording, by: admin.id, changed_at: at }
    for (let times = 0; times < 2; times += 1) await publish('mail_settings.changed', event, { id: 'the same event' })
    const entries = await eventually(async () => {
      const found = await readEntries('?action=mail_wording_changed')
      expect(found).not.toEqual([])
      return found
    })
    const kind = 'task_overdue'
    expect(entries).toMatchObject([
      { at, by: by(), subject: null, before: { kind, subject: 'Overdue' }, after: { kind, subject: 'Late' } },
    ])
  })

  test('changed words of mails by an administrator who is erased before the event arrives', async () => {
    const publish = createEventPublisher(auth.world.ports.bus)
    const change = { field: 'hours', before: '', after: '08:00–18:00' }
    const at = '2026-11-21T10:00:00.000Z'
    await publish('mail_settings.changed', { setting: 'reminders', by: 'erased', changed_at: at, changes: [change] })
    await eventually(async () =>
      expect(await readEntries('?action=reminder_settings_changed')).toMatchObject([
        { at, by: { id: 'erased', name: erasedName }, before: { hours: '' }, after: { hours: '08:00–18:00' } },
      ]),
    )
  })

  test('an administrator’s successful sign-in only', async () => {
    await auth.anonymous.post('/admin/login', { email: rootAdmin.email, password: 'not the password' })
    expect(await readEntries('?action=admin_signed_in')).toEqual([])
    await auth.anonymous.post('/admin/login', rootAdmin)
    expect(await readEntries('?action=admin_signed_in')).toMatchObject([{ by: by(), before: {}, after: {} }])
  })

  test('a change of role, with the names at that time', async () => {
    const user = await auth.addPerson('user', { name: 'Trainee One' })
    await assignRole(user.id, 'director')
    const people = auth.database.collection<{ _id: string }>('people')
    await people.updateOne({ _id: user.id }, { $set: { name: 'Renamed' } })
    expect((await readEntries('?action=role_changed'))[0]).toMatchObject({
      at: new Date(auth.clock.now()).toISOString(),
      by: by(),
      subject: subjectOf(user, 'Trainee One'),
      before: { role: 'user' },
      after: { role: 'director' },
    })
  })

  test('a move into, between and out of teams', async () => {
    const user = await auth.addPerson('user', { name: 'Trainee One' })
    const [first, second] = [
      await auth.addPerson('supervisor', { name: 'Supervisor One' }),
      await auth.addPerson('supervisor', { name: 'Supervisor Two' }),
    ]
    for (const id of [first.id, second.id, '']) await assignSupervisor(user.id, id)
    const supervisorFields = (person: Person | null, name: string | null) => ({
      supervisor_id: person?.id ?? null,
      supervisor_name: name,
    })
    const moves = (await readEntries('?action=supervisor_changed')).filter(entry => entry.subject?.id === user.id)
    expect(moves.map(entry => [entry.before, entry.after])).toEqual([
      [supervisorFields(second, 'Supervisor Two'), supervisorFields(null, null)],
      [supervisorFields(first, 'Supervisor One'), supervisorFields(second, 'Supervisor Two')],
      [supervisorFields(null, null), supervisorFields(first, 'Supervisor One')],
    ])
  })

  test('the reviews of requests', async () => {
    const manager = await auth.addPerson('manager', { name: 'Manager One' })
    const supervisor = await auth.addPerson('supervisor', { name: 'Supervisor One' })
    for (const [action, comment] of [
      ['reject', 'Not now'],
      ['approve', ''],
    ]) {
      const body = { requested_supervisor_id: supervisor.id }
      const { request } = (await auth.callAs(manager).post('/manager/request-supervisor', body)).json
      await auth.callAs(admin).post(`/admin/supervisor-requests/${request.id}/review`, { action, comment })
    }
    const subject = subjectOf(supervisor, 'Supervisor One')
    expect(await readEntries('?search=one%20sup')).toMatchObject([
      {
        action: 'request_approved',
        by: by(),
        subject,
        before: { status: 'pending', manager_id: null, manager_name: null },
        after: { status: 'approved', manager_id: manager.id, manager_name: 'Manager One' },
      },
      {
        action: 'request_rejected',
        by: by(),
        subject,
        before: { status: 'pending' },
        after: { status: 'rejected', requested_by: manager.id, requested_by_name: 'Manager One', comment: 'Not now' },
      },
    ])
  })

  test('an action of the system, without an actor', async () => {
    const seeded = await startAuth()
    try {
      await seeded.service.seed({
        people: [
          { name: 'S', email: 's@demo.local', role: 'supervisor', manager: 'm@demo.local' },
          { name: 'M', email: 'm@demo.local', role: 'manager' },
          { name: 'U', email: 'u@demo.local', role: 'user', supervisor: 's@demo.local' },
        ],
      })
      const rows = await seeded.database.collection('audit').find().sort({ _id: 1 }).toArray()
      expect(rows.map(row => row.action)).toEqual([
        'role_changed',
        'role_changed',
        'manager_changed',
        'supervisor_changed',
      ])
      expect(new Set(rows.map(row => row.by))).toEqual(new Set([null]))
      expect(rows[2]).toMatchObject({ before: { manager_id: null }, after: { manager_name: 'M' } })
    } finally {
      await seeded.stop()
    }
  })

  test('no refused action and no action without a change', async () => {
    const user = await auth.addPerson('user')
    const supervisor = await auth.addPerson('supervisor')
    await assignSupervisor(user.id, supervisor.id)
    const before = await countEntries()
    expect((await assignSupervisor(user.id, supervisor.id)).status).toBe(200)
    expect((await assignRole(user.id, 'user')).status).toBe(200)
    expect((await assignRole(admin.id, 'user')).status).toBe(409)
    expect((await assignRole(user.id, 'king')).status).toBe(422)
    expect((await assignRole('nobody', 'user')).status).toBe(404)
    expect((await assignSupervisor(user.id, user.id)).status).toBe(422)
    expect((await auth.anonymous.post('/admin/setup', rootAdmin)).status).toBe(400)
    expect(await countEntries()).toBe(before)
  })

  test('every action that takes effect: without an entry an action fails', async () => {
    const user = await auth.addPerson('user')
    const audit = auth.database.collection('audit')
    await auth.database.command({ collMod: 'audit', validator: { never: true } })
    try {
      expect((await assignRole(user.id, 'director')).status).toBe(500)
    } finally {
      await auth.database.command({ collMod: 'audit', validator: {} })
    }
    expect(await auth.findPerson(user.id)).toMatchObject({ role: 'user', version: 1 })
    expect(await auth.listEvents(user.id)).toEqual([])
    expect(await audit.countDocuments({ 'subject.id': user.id })).toBe(0)
  })
})

describe('the log', () => {
  let people: Person[]
  const start = () => Date.parse(rowsFrom)
  let rowsFrom: string
  beforeAll(async () => {
    auth.clock.advance(3_600_000)
    rowsFrom = new Date(auth.clock.now()).toISOString()
    people = []
    for (let count = 0; count < 5; count += 1) {
      const person = await auth.addPerson('user', { name: `Page ${count}`, email: `page${count}@lög.example` })
      people.push(person)
      await assignRole(person.id, 'director')
      // Pairs of entries have the same time.
      if (count % 2) auth.clock.advance(60_000)
    }
  })
  const subjects = (entries: AuditEntry[]) => entries.map(entry => entry.subject?.name)

  test('is listed newest first, or oldest first, in pages without gaps or repeats', async () => {
    const pagedEntries: AuditEntry[] = []
    let cursor = ''
    for (;;) {
      const answer = await readAuditLog(`?search=page&limit=2${cursor}`)
      expect(answer.headers.get('x-total-count')).toBe('5')
      pagedEntries.push(...answer.json)
      const nextCursor = answer.headers.get('x-next-cursor')
      if (!nextCursor) break
      cursor = `&cursor=${nextCursor}`
    }
    expect(subjects(pagedEntries)).toEqual(['Page 4', 'Page 3', 'Page 2', 'Page 1', 'Page 0'])
    const firstPage = await readAuditLog('?search=page&limit=2&order=asc')
    const restQuery = `?search=page&order=asc&cursor=${firstPage.headers.get('x-next-cursor')}`
    const rest = await readEntries(restQuery)
    expect(subjects([...firstPage.json, ...rest])).toEqual(['Page 0', 'Page 1', 'Page 2', 'Page 3', 'Page 4'])
    expect((await readAuditLog('?order=random')).status).toBe(422)
    const allEntries = await readEntries('?limit=500')
    expect(allEntries).toHaveLength(await countEntries())
    expect(allEntries.map(entry => entry.at)).toEqual(
      allEntries
        .map(entry => entry.at)
        .sort()
        .reverse(),
    )
  })

  test('filters by action, subject and time', async () => {
    const minute = (count: number) => new Date(start() + count * 60_000).toISOString()
    expect(subjects(await readEntries(`?from=${minute(1)}`))).toEqual(['Page 4', 'Page 3', 'Page 2'])
    expect(subjects(await readEntries(`?from=${minute(1)}&until=${minute(1)}`))).toEqual(['Page 3', 'Page 2'])
    expect(subjects(await readEntries(`?from=${minute(0)}&until=${minute(0)}&action=role_changed`))).toEqual([
      'Page 1',
      'Page 0',
    ])
    expect(await readEntries(`?from=${minute(0)}&action=request_approved`)).toEqual([])
    expect(subjects(await readEntries('?search=page3@log'))).toEqual(['Page 3'])
    expect(subjects(await readEntries('?search=page%204&action=role_changed'))).toEqual(['Page 4'])
    expect(await readEntries('?search=page%204&action=admin_created')).toEqual([])
    expect(await readEntries(`?until=${new Date(0).toISOString()}`)).toEqual([])
  })

  test.each(['action=made_up', 'setup=maybe', 'from=yesterday', 'until=2026-01-01', 'limit=0', 'cursor=nonsense'])(
    'refuses %s',
    async query => {
      expect((await readAuditLog(`?${query}`)).status).toBe(422)
    },
  )

  test('leaves out sign-ins and setup on request, but never a password that an operator set', async () => {
    await auth.anonymous.post('/admin/login', rootAdmin)
    const everything = await readEntries('?limit=500')
    const isSetup = ({ action, by }: AuditEntry) => by === null && action !== 'password_changed'
    const isSignIn = ({ action }: AuditEntry) => action === 'admin_signed_in'
    expect(everything.some(isSetup) && everything.some(isSignIn)).toBe(true)
    const idsOf = (entries: AuditEntry[]) => entries.map(({ id }) => id)
    expect(idsOf(await readEntries('?limit=500&sign_ins=false'))).toEqual(
      idsOf(everything.filter(entry => !isSignIn(entry))),
    )
    expect(idsOf(await readEntries('?limit=500&sign_ins=false&setup=false'))).toEqual(
      idsOf(everything.filter(entry => !isSignIn(entry) && !isSetup(entry))),
    )
    expect(await readEntries('?action=admin_signed_in&sign_ins=false')).toEqual([])
    const reset = { action: 'password_changed', by: null, subject: null, before: {}, after: {}, search_words: [] }
    const row = { _id: 'reset', at: new Date(auth.clock.now() + 3600_000), ...reset }
    await auth.database.collection<typeof row>('audit').insertOne(row)
    expect((await readEntries('?setup=false'))[0]).toMatchObject({ action: 'password_changed', by: null })
  })

  test('only administrators can read it', async () => {
    expect((await auth.anonymous.get('/admin/audit')).status).toBe(401)
    for (const role of ['user', 'supervisor', 'manager', 'director'] as const)
      expect((await auth.callAs(await auth.addPerson(role)).get('/admin/audit')).status).toBe(403)
  })

  test('is append-only: no entry is removed, and only an erasure changes one, by removing names', () => {
    const store = createAuditStore(createDatabase())
    const reads = [
      'chainAfter',
      'countChained',
      'countUnchained',
      'findSubjectsWithEmail',
      'has',
      'head',
      'namesOf',
      'page',
    ]
    const writes = ['add', 'eraseClaimValues', 'eraseSubject', 'lockChain', 'prepare']
    expect(Object.keys(store).sort()).toEqual(
      [...reads, 'findFormerPerson', 'findSequenceRange', 'readRetentionS', ...writes].sort(),
    )
    const onAudit = routes.filter(route => route.operation.path.startsWith('/admin/audit'))
    expect(new Set(onAudit.map(route => route.operation.method))).toEqual(new Set(['GET']))
  })
})

describe('the system status', () => {
  test('shows a connected database, and that the development provider needs replacing', async () => {
    expect((await auth.callAs(admin).get('/admin/system-status')).json).toEqual({
      database: 'connected',
      authentication: { status: 'needs_update', provider: 'the development provider' },
    })
  })

  test('names the configured provider', async () => {
    const configured = await startAuth({
      oidcIssuer: 'https://id.example.org',
      oidcClientId: 'watchline',
      oidcName: 'Acme ID',
    })
    try {
      const configuredAdmin = await configured.addPerson('admin')
      expect((await configured.callAs(configuredAdmin).get('/admin/system-status')).json.authentication).toEqual({
        status: 'active',
        provider: 'Acme ID',
      })
    } finally {
      await configured.stop()
    }
  })

  test('a missing, failing or hanging database is disconnected', async () => {
    const database = (ping: () => Promise<unknown>) => ({ db: { command: ping } }) as never
    expect(await isDatabaseResponding({ db: undefined } as never)).toBe(false)
    expect(await isDatabaseResponding(database(() => Promise.reject(new Error('away'))))).toBe(false)
    expect(
      await isDatabaseResponding(
        database(() => new Promise(() => {})),
        5,
      ),
    ).toBe(false)
    expect(await isDatabaseResponding(database(() => Promise.resolve({ ok: 1 })))).toBe(true)
  })

  test('only administrators can read it', async () => {
    expect((await auth.anonymous.get('/admin/system-status')).status).toBe(401)
    for (const role of ['user', 'supervisor', 'manager', 'director'] as const)
      expect((await auth.callAs(await auth.addPerson(role)).get('/admin/system-status')).status).toBe(403)
  })
})
