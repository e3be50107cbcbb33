import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { supervisorRequest } from '@watchline/contracts/supervisor-requests'
import type { ApiResponse } from '@watchline/testing/harness'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let auth: AuthWorld
let admin: Person
let secondAdmin: Person
beforeAll(async () => {
  auth = await startAuth()
  admin = await auth.person('admin', { name: 'Admin One' })
  secondAdmin = await auth.person('admin', { name: 'Admin Two' })
})
afterAll(() => auth.stop())

const ask = (manager: Person, supervisorId: unknown, reason?: unknown) =>
  auth.as(manager).post('/manager/request-supervisor', { requested_supervisor_id: supervisorId, reason })
const review = (id: string, action: unknown, { by = admin, comment }: { by?: Person; comment?: unknown } = {}) =>
  auth.as(by).post(`/admin/supervisor-requests/${id}/review`, { action, comment })
const giveRole = (id: string, role: string) => auth.as(admin).put(`/admin/users/${id}/role`, { role })
const own = async (manager: Person) => (await auth.as(manager).get('/manager/supervisor-requests')).json
const typesOf = async (id: string) => (await auth.events(id)).map(event => event.type)
const statuses = (answers: ApiResponse[]) => answers.map(answer => answer.status).sort()
const actsOn = async (id: string) =>
  (await auth.database.collection('audit').find({ 'subject.id': id }).sort({ _id: 1 }).toArray()).map(row => row.action)

/** A manager, a supervisor nobody manages, and the request of the one for the other. */
async function asked() {
  const manager = await auth.person('manager')
  const supervisor = await auth.person('supervisor')
  const answer = await ask(manager, supervisor.id, 'They know the ward')
  expect(answer.status).toBe(200)
  return { manager, supervisor, id: answer.json.request.id as string }
}

async function statusOf(id: string): Promise<string> {
  return (await auth.database.collection<{ _id: string; status: string }>('supervisor_requests').findOne({ _id: id }))!
    .status
}

/** Whose the supervisor is, and that the manager's own document says the same. */
async function expectManager(supervisor: Person, manager: Person | null) {
  expect((await auth.row(supervisor.id))!.manager_id).toBe(manager?.id ?? null)
  if (manager) expect((await auth.row(manager.id))!.team_size).toBe(1)
}

describe('asking for a supervisor', () => {
  test('makes a pending request, with an event, that administrators and the manager see', async () => {
    const manager = await auth.person('manager', { name: 'Manager One' })
    const supervisor = await auth.person('supervisor', { name: 'Supervisor One' })
    const answer = await ask(manager, supervisor.id, '  They know the ward ')
    expect(answer.json).toEqual({
      success: true,
      request: {
        id: expect.any(String),
        manager_id: manager.id,
        manager_name: 'Manager One',
        supervisor_id: supervisor.id,
        supervisor_name: 'Supervisor One',
        reason: 'They know the ward',
        status: 'pending',
        requested_at: new Date(auth.clock.now()).toISOString(),
        reviewed_at: null,
        comment: '',
      },
    })
    const { request } = answer.json
    expect(await own(manager)).toEqual([request])
    const all = await auth.as(admin).get('/admin/supervisor-requests')
    expect(all.json).toContainEqual(request)
    expect(await auth.events(request.id)).toMatchObject([
      {
        type: 'supervisor_request.created',
        data: { request_id: request.id, manager_id: manager.id, supervisor_id: supervisor.id },
      },
    ])
    await expectManager(supervisor, null)
  })

  test('twice is refused, and once it was answered it can be asked again', async () => {
    const { manager, supervisor, id } = await asked()
    expect(await ask(manager, supervisor.id)).toMatchObject({
      status: 409,
      json: { code: 'conflict', detail: 'You have already asked for this supervisor.' },
    })
    await review(id, 'reject')
    expect((await ask(manager, supervisor.id)).status).toBe(200)
    expect((await own(manager)).map((request: { status: string }) => request.status).sort()).toEqual([
      'pending',
      'rejected',
    ])
  })

  test('five times at once makes one request and one event', async () => {
    const manager = await auth.person('manager')
    const supervisor = await auth.person('supervisor')
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => ask(manager, supervisor.id)))
    expect(statuses(answers)).toEqual([200, 409, 409, 409, 409])
    const made = await own(manager)
    expect(made).toHaveLength(1)
    expect(await typesOf(made[0].id)).toEqual(['supervisor_request.created'])
  })

  test('is possible for several managers', async () => {
    const { supervisor } = await asked()
    expect((await ask(await auth.person('manager'), supervisor.id)).status).toBe(200)
  })

  test('is refused for who has a manager, the asker included', async () => {
    const { manager, supervisor, id } = await asked()
    await review(id, 'approve')
    for (const each of [manager, await auth.person('manager')])
      expect(await ask(each, supervisor.id)).toMatchObject({
        status: 409,
        json: { code: 'conflict', detail: 'This supervisor already has a manager.' },
      })
  })

  test.each([
    ['nobody', async () => 'nobody', 404],
    ['who is no supervisor', async () => (await auth.person('user')).id, 404],
    ['another manager', async () => (await auth.person('manager')).id, 404],
    ['an administrator', async () => admin.id, 404],
    ['an empty id', async () => '', 422],
    ['an operator', async () => ({ $ne: '' }), 422],
    ['nothing', async () => undefined, 422],
  ])('for %s is refused', async (_name, whom, status) => {
    const manager = await auth.person('manager')
    expect((await ask(manager, await whom())).status).toBe(status)
    expect(await own(manager)).toEqual([])
  })

  test('with too long a reason is refused; the longest is kept', async () => {
    const manager = await auth.person('manager')
    const supervisor = await auth.person('supervisor')
    const longest = 'x'.repeat(limits.reasonMaxLength)
    expect((await ask(manager, supervisor.id, `${longest}x`)).status).toBe(422)
    expect((await ask(manager, supervisor.id, 7)).status).toBe(422)
    expect((await ask(manager, supervisor.id, longest)).json.request.reason).toBe(longest)
  })

  test('while the supervisor is taken leaves either a refusal or a request that cannot be approved', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { manager, supervisor, id } = await asked()
      const late = await auth.person('manager')
      const [approved, request] = await Promise.all([review(id, 'approve'), ask(late, supervisor.id)])
      expect(approved.status).toBe(200)
      await expectManager(supervisor, manager)
      if (request.status === 200) expect((await review(request.json.request.id, 'approve')).status).toBe(409)
      else expect(request.json.detail).toBe('This supervisor already has a manager.')
    }
  })

  test('while one of the two leaves the role leaves nothing pending', async () => {
    for (const leaves of ['manager', 'supervisor', 'manager', 'supervisor'] as const) {
      const people = { manager: await auth.person('manager'), supervisor: await auth.person('supervisor') }
      const [request, changed] = await Promise.all([
        ask(people.manager, people.supervisor.id),
        giveRole(people[leaves].id, 'user'),
      ])
      expect(changed.status).toBe(200)
      if (request.status === 200) expect(await statusOf(request.json.request.id)).toBe('withdrawn')
      else expect(request.status).toBe(leaves === 'manager' ? 403 : 404)
    }
  })
})

describe('the lists of requests', () => {
  test('show names as they are now', async () => {
    const { manager, supervisor, id } = await asked()
    const people = auth.database.collection<{ _id: string }>('people')
    await people.updateOne({ _id: manager.id }, { $set: { name: 'Manager Renamed' } })
    await people.updateOne({ _id: supervisor.id }, { $set: { name: 'Supervisor Renamed' } })
    const named = { id, manager_name: 'Manager Renamed', supervisor_name: 'Supervisor Renamed' }
    expect(await own(manager)).toMatchObject([named])
    const all = supervisorRequest.array().parse((await auth.as(admin).get('/admin/supervisor-requests')).json)
    expect(all.find(request => request.id === id)).toMatchObject(named)
  })

  test('come in pages: what is pending oldest first, one’s own latest first', async () => {
    const manager = await auth.person('manager')
    const made: string[] = []
    for (let count = 0; count < 5; count += 1) {
      // Some at the very same time.
      if (count % 2) auth.clock.advance(1_000)
      made.push((await ask(manager, (await auth.person('supervisor')).id)).json.request.id)
    }
    async function pages(from: Person, path: string) {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const answer = await auth.as(from).get(`${path}?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
        expect(answer.json.length).toBeLessThanOrEqual(2)
        seen.push(...answer.json.map((request: { id: string }) => request.id))
        cursor = answer.headers.get('x-next-cursor')
      } while (cursor)
      return seen
    }
    expect(await pages(manager, '/manager/supervisor-requests')).toEqual(made.toReversed())
    const pending = await pages(admin, '/admin/supervisor-requests')
    expect(pending.filter(id => made.includes(id))).toEqual(made)
    expect(new Set(pending).size).toBe(pending.length)

    await review(made[0]!, 'reject')
    expect(await pages(admin, '/admin/supervisor-requests')).not.toContain(made[0])
    const answer = await auth.as(manager).get('/manager/supervisor-requests?limit=1')
    expect(answer.headers.get('x-total-count')).toBe('5')
    const counts = (await auth.as(admin).get('/admin/user-counts')).json
    const total = (await auth.as(admin).get('/admin/supervisor-requests?limit=1')).headers.get('x-total-count')
    expect(counts.pending_requests).toBe(Number(total))
    expect((await auth.as(admin).get('/admin/supervisor-requests?cursor=W10')).status).toBe(422)
  })

  test('hold a manager’s own only', async () => {
    const { manager } = await asked()
    await asked()
    expect(await own(manager)).toHaveLength(1)
    expect(await own(await auth.person('manager'))).toEqual([])
  })
})

describe('reviewing a request', () => {
  test('approving puts the supervisor under the manager, with events, comment and an entry in the log', async () => {
    const { manager, supervisor, id } = await asked()
    const answer = await review(id, 'approve', { comment: 'Approved by admin' })
    expect(answer).toMatchObject({
      status: 200,
      json: {
        success: true,
        request: {
          id,
          status: 'approved',
          comment: 'Approved by admin',
          reviewed_at: new Date(auth.clock.now()).toISOString(),
        },
      },
    })
    await expectManager(supervisor, manager)
    expect(await auth.events(supervisor.id)).toMatchObject([
      {
        type: 'user.manager_changed',
        data: {
          person: { id: supervisor.id, manager_id: manager.id, version: 2 },
          by: admin.id,
          previous_manager_id: null,
        },
      },
    ])
    expect((await auth.events(id)).at(-1)).toMatchObject({
      type: 'supervisor_request.reviewed',
      data: {
        request_id: id,
        manager_id: manager.id,
        supervisor_id: supervisor.id,
        approved: true,
        by: admin.id,
        comment: 'Approved by admin',
      },
    })
    expect(await actsOn(supervisor.id)).toEqual(['request_approved'])
    expect(await own(manager)).toMatchObject([{ status: 'approved', comment: 'Approved by admin' }])
    expect((await auth.as(manager).get('/manager/supervisors')).json).toMatchObject([{ id: supervisor.id }])
  })

  test('rejecting changes nobody, and says why', async () => {
    const { manager, supervisor, id } = await asked()
    expect((await review(id, 'reject', { comment: 'Not this year' })).json.request).toMatchObject({
      status: 'rejected',
      comment: 'Not this year',
    })
    await expectManager(supervisor, null)
    expect(await typesOf(supervisor.id)).toEqual([])
    expect((await auth.events(id)).at(-1)).toMatchObject({
      type: 'supervisor_request.reviewed',
      data: { approved: false, comment: 'Not this year' },
    })
    expect(await actsOn(supervisor.id)).toEqual(['request_rejected'])
    expect(await own(manager)).toMatchObject([{ status: 'rejected' }])
  })

  test('again is refused, whatever the answer was and is', async () => {
    for (const first of ['approve', 'reject'])
      for (const second of ['approve', 'reject']) {
        const { supervisor, id } = await asked()
        await review(id, first)
        expect(await review(id, second)).toMatchObject({ status: 409, json: { code: 'already_reviewed' } })
        expect(await statusOf(id)).toBe(first === 'approve' ? 'approved' : 'rejected')
        expect(await actsOn(supervisor.id)).toHaveLength(1)
      }
  })

  test('by two administrators at once has one effect', async () => {
    for (const [first, second] of [
      ['approve', 'approve'],
      ['approve', 'reject'],
      ['reject', 'reject'],
    ]) {
      const { manager, supervisor, id } = await asked()
      const answers = await Promise.all([review(id, first), review(id, second, { by: secondAdmin })])
      expect(statuses(answers)).toEqual([200, 409])
      expect(answers.find(answer => answer.status === 409)!.json.code).toBe('already_reviewed')
      const isApproved = answers.find(answer => answer.status === 200)!.json.request.status === 'approved'
      await expectManager(supervisor, isApproved ? manager : null)
      expect(await typesOf(supervisor.id)).toEqual(isApproved ? ['user.manager_changed'] : [])
      expect(await typesOf(id)).toEqual(['supervisor_request.created', 'supervisor_request.reviewed'])
      expect(await actsOn(supervisor.id)).toEqual([isApproved ? 'request_approved' : 'request_rejected'])
    }
  })

  test('of two managers’ requests for one supervisor, approved at once, one holds and the other stays pending', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { manager, supervisor, id } = await asked()
      const rival = await auth.person('manager')
      const rivalId = (await ask(rival, supervisor.id)).json.request.id
      const answers = await Promise.all([review(id, 'approve'), review(rivalId, 'approve', { by: secondAdmin })])
      expect(statuses(answers)).toEqual([200, 409])
      const refused = answers.find(answer => answer.status === 409)!
      expect(refused.json).toMatchObject({ code: 'conflict', detail: 'This supervisor already has a manager.' })
      const isFirst = answers[0]!.status === 200
      await expectManager(supervisor, isFirst ? manager : rival)
      expect((await auth.row((isFirst ? rival : manager).id))!.team_size).toBe(0)
      const loser = isFirst ? rivalId : id
      expect(await statusOf(loser)).toBe('pending')
      expect(await typesOf(loser)).toEqual(['supervisor_request.created'])
      expect(await actsOn(supervisor.id)).toEqual(['request_approved'])
      expect((await review(loser, 'reject')).status).toBe(200)
    }
  })

  test('a supervisor who left the manager again can be had by the next', async () => {
    const { manager, supervisor, id } = await asked()
    const next = await auth.person('manager')
    const nextId = (await ask(next, supervisor.id)).json.request.id
    await review(id, 'approve')
    expect((await review(nextId, 'approve')).status).toBe(409)
    await giveRole(manager.id, 'director')
    expect((await review(nextId, 'approve')).status).toBe(200)
    await expectManager(supervisor, next)
  })

  test('while one of the two leaves the role leaves nobody under somebody who is no manager', async () => {
    for (const leaves of ['manager', 'supervisor', 'manager', 'supervisor'] as const) {
      const people = await asked()
      const [reviewed, changed] = await Promise.all([
        review(people.id, 'approve'),
        giveRole(people[leaves].id, 'director'),
      ])
      expect(changed.status).toBe(200)
      expect(await statusOf(people.id)).toBe(reviewed.status === 200 ? 'approved' : 'withdrawn')
      if (reviewed.status !== 200) expect(reviewed.json.code).toBe('already_reviewed')
      expect((await auth.row(people.supervisor.id))!.manager_id).toBeNull()
      expect((await auth.row(people.manager.id))!.team_size).toBe(0)
    }
  })

  test('of what is not there, or with what is no answer, is refused', async () => {
    const { id } = await asked()
    expect((await review('nobody', 'approve')).status).toBe(404)
    for (const action of ['allow', '', null, undefined, { $ne: 1 }]) expect((await review(id, action)).status).toBe(422)
    expect((await review(id, 'approve', { comment: 'x'.repeat(limits.reasonMaxLength + 1) })).status).toBe(422)
    expect(await statusOf(id)).toBe('pending')
  })
})

describe('leaving a role', () => {
  test('a manager’s pending requests are withdrawn, those answered stay', async () => {
    const { manager, id } = await asked()
    const answered = (await ask(manager, (await auth.person('supervisor')).id)).json.request.id
    await review(answered, 'reject')
    await giveRole(manager.id, 'user')
    expect([await statusOf(id), await statusOf(answered)]).toEqual(['withdrawn', 'rejected'])
    expect((await review(id, 'approve')).json.code).toBe('already_reviewed')
    const pending = (await auth.as(admin).get('/admin/supervisor-requests?limit=500')).json
    expect(pending.map((request: { id: string }) => request.id)).not.toContain(id)
  })

  test('requests for a supervisor are withdrawn, of every manager', async () => {
    const { manager, supervisor, id } = await asked()
    const other = await auth.person('manager')
    const otherId = (await ask(other, supervisor.id)).json.request.id
    await giveRole(supervisor.id, 'manager')
    expect([await statusOf(id), await statusOf(otherId)]).toEqual(['withdrawn', 'withdrawn'])
    expect(await own(manager)).toMatchObject([{ status: 'withdrawn', reviewed_at: null }])
    await giveRole(supervisor.id, 'supervisor')
    expect((await ask(manager, supervisor.id)).status).toBe(200)
  })
})

test('managers ask, administrators answer, and nobody else does either', async () => {
  const { supervisor, id } = await asked()
  const managers: [string, string, unknown?][] = [
    ['POST', '/manager/request-supervisor', { requested_supervisor_id: supervisor.id }],
    ['GET', '/manager/supervisor-requests'],
  ]
  const admins: [string, string, unknown?][] = [
    ['GET', '/admin/supervisor-requests'],
    ['POST', `/admin/supervisor-requests/${id}/review`, { action: 'approve' }],
  ]
  for (const call of [...managers, ...admins]) expect((await auth.anyone.call(...call)).status).toBe(401)
  for (const role of ['user', 'supervisor', 'manager', 'director', 'admin'] as const) {
    const as = auth.as(role === 'admin' ? admin : await auth.person(role))
    for (const call of role === 'manager' ? [] : managers) expect((await as.call(...call)).status).toBe(403)
    for (const call of role === 'admin' ? [] : admins) expect((await as.call(...call)).status).toBe(403)
  }
  expect(await statusOf(id)).toBe('pending')
})
