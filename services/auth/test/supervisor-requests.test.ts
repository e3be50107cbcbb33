import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { supervisorRequest } from '@watchline/contracts/supervisor-requests'
import type { ApiResponse } from '@watchline/testing/api-client'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let auth: AuthWorld
let admin: Person
let secondAdmin: Person
beforeAll(async () => {
  auth = await startAuth()
  admin = await auth.addPerson('admin', { name: 'Admin One' })
  secondAdmin = await auth.addPerson('admin', { name: 'Admin Two' })
})
afterAll(() => auth.stop())

const requestSupervisor = (manager: Person, supervisorId: unknown, reason?: unknown) =>
  auth.callAs(manager).post('/manager/request-supervisor', { requested_supervisor_id: supervisorId, reason })
const review = (id: string, action: unknown, { by = admin, comment }: { by?: Person; comment?: unknown } = {}) =>
  auth.callAs(by).post(`/admin/supervisor-requests/${id}/review`, { action, comment })
const assignRole = (id: string, role: string) => auth.callAs(admin).put(`/admin/users/${id}/role`, { role })
const requestsOf = async (manager: Person) => (await auth.callAs(manager).get('/manager/supervisor-requests')).json
const typesOf = async (id: string) => (await auth.listEvents(id)).map(event => event.type)
const statuses = (answers: ApiResponse[]) => answers.map(answer => answer.status).sort()
const auditActions = async (id: string) =>
  (await auth.database.collection('audit').find({ 'subject.id': id }).sort({ _id: 1 }).toArray()).map(row => row.action)

/** A manager's pending request for a supervisor without a manager. */
async function createRequest() {
  const manager = await auth.addPerson('manager')
  const supervisor = await auth.addPerson('supervisor')
  const answer = await requestSupervisor(manager, supervisor.id, 'They know the ward')
  expect(answer.status).toBe(200)
  return { manager, supervisor, id: answer.json.request.id as string }
}

async function statusOf(id: string): Promise<string> {
  return (await auth.database.collection<{ _id: string; status: string }>('supervisor_requests').findOne({ _id: id }))!
    .status
}

/** Checks the supervisor's manager, and that manager's counted team size. */
async function expectManager(supervisor: Person, manager: Person | null) {
  expect((await auth.findPerson(supervisor.id))!.manager_id).toBe(manager?.id ?? null)
  if (manager) expect((await auth.findPerson(manager.id))!.team_size).toBe(1)
}

test('a request is in the export of its manager and its supervisor, and of nobody else', async () => {
  const { manager, supervisor, id } = await createRequest()
  const exported = async (person: Person) =>
    (await auth.callAs(person).get('/auth/record/data')).text
      .split('\n')
      .filter(line => line.includes('"kind":"supervisor_requests"'))
      .map(line => JSON.parse(line).data._id)
  const other = await auth.addPerson('supervisor')
  expect([await exported(manager), await exported(supervisor), await exported(other)]).toEqual([[id], [id], []])
})

describe('requesting a supervisor', () => {
  test('creates a pending request with an event, which administrators and the manager can list', async () => {
    const manager = await auth.addPerson('manager', { name: 'Manager One' })
    const supervisor = await auth.addPerson('supervisor', { name: 'Supervisor One' })
    const answer = await requestSupervisor(manager, supervisor.id, '  They know the ward ')
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
    expect(await requestsOf(manager)).toEqual([request])
    const pending = await auth.callAs(admin).get('/admin/supervisor-requests')
    expect(pending.json).toContainEqual(request)
    expect(await auth.listEvents(request.id)).toMatchObject([
      {
        type: 'supervisor_request.created',
        data: { request_id: request.id, manager_id: manager.id, supervisor_id: supervisor.id },
      },
    ])
    await expectManager(supervisor, null)
  })

  test('repeatedly is refused until the first request is reviewed', async () => {
    const { manager, supervisor, id } = await createRequest()
    expect(await requestSupervisor(manager, supervisor.id)).toMatchObject({
      status: 409,
      json: { code: 'conflict', detail: 'You have already requested this supervisor.' },
    })
    await review(id, 'reject')
    expect((await requestSupervisor(manager, supervisor.id)).status).toBe(200)
    expect((await requestsOf(manager)).map((request: { status: string }) => request.status).sort()).toEqual([
      'pending',
      'rejected',
    ])
  })

  test('five times concurrently creates one request and one event', async () => {
    const manager = await auth.addPerson('manager')
    const supervisor = await auth.addPerson('supervisor')
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => requestSupervisor(manager, supervisor.id)))
    expect(statuses(answers)).toEqual([200, 409, 409, 409, 409])
    const created = await requestsOf(manager)
    expect(created).toHaveLength(1)
    expect(await typesOf(created[0].id)).toEqual(['supervisor_request.created'])
  })

  test('is possible for several managers', async () => {
    const { supervisor } = await createRequest()
    expect((await requestSupervisor(await auth.addPerson('manager'), supervisor.id)).status).toBe(200)
  })

  test('is refused for a supervisor with a manager, also to that manager', async () => {
    const { manager, supervisor, id } = await createRequest()
    await review(id, 'approve')
    for (const caller of [manager, await auth.addPerson('manager')])
      expect(await requestSupervisor(caller, supervisor.id)).toMatchObject({
        status: 409,
        json: { code: 'conflict', detail: 'This supervisor already has a manager.' },
      })
  })

  test.each([
    ['an unknown person', async () => 'nobody', 404],
    ['a user', async () => (await auth.addPerson('user')).id, 404],
    ['another manager', async () => (await auth.addPerson('manager')).id, 404],
    ['an administrator', async () => admin.id, 404],
    ['an empty id', async () => '', 422],
    ['a query operator', async () => ({ $ne: '' }), 422],
    ['nothing', async () => undefined, 422],
  ])('for %s is refused', async (_name, requestedId, status) => {
    const manager = await auth.addPerson('manager')
    expect((await requestSupervisor(manager, await requestedId())).status).toBe(status)
    expect(await requestsOf(manager)).toEqual([])
  })

  test('is refused with too long a reason', async () => {
    const manager = await auth.addPerson('manager')
    const supervisor = await auth.addPerson('supervisor')
    const longest = 'x'.repeat(limits.reasonMaxLength)
    expect((await requestSupervisor(manager, supervisor.id, `${longest}x`)).status).toBe(422)
    expect((await requestSupervisor(manager, supervisor.id, 7)).status).toBe(422)
    expect((await requestSupervisor(manager, supervisor.id, longest)).json.request.reason).toBe(longest)
  })

  test('concurrent with another manager’s approval is refused, or cannot be approved', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { manager, supervisor, id } = await createRequest()
      const secondManager = await auth.addPerson('manager')
      const [approved, request] = await Promise.all([
        review(id, 'approve'),
        requestSupervisor(secondManager, supervisor.id),
      ])
      expect(approved.status).toBe(200)
      await expectManager(supervisor, manager)
      if (request.status === 200) expect((await review(request.json.request.id, 'approve')).status).toBe(409)
      else expect(request.json.detail).toBe('This supervisor already has a manager.')
    }
  })

  test('concurrent with a change of either role leaves nothing pending', async () => {
    for (const leavingRole of ['manager', 'supervisor', 'manager', 'supervisor'] as const) {
      const people = { manager: await auth.addPerson('manager'), supervisor: await auth.addPerson('supervisor') }
      const [request, changed] = await Promise.all([
        requestSupervisor(people.manager, people.supervisor.id),
        assignRole(people[leavingRole].id, 'user'),
      ])
      expect(changed.status).toBe(200)
      if (request.status === 200) expect(await statusOf(request.json.request.id)).toBe('withdrawn')
      else expect(request.status).toBe(leavingRole === 'manager' ? 403 : 404)
    }
  })
})

describe('the lists of requests', () => {
  test('have the current names', async () => {
    const { manager, supervisor, id } = await createRequest()
    const people = auth.database.collection<{ _id: string }>('people')
    await people.updateOne({ _id: manager.id }, { $set: { name: 'Manager Renamed' } })
    await people.updateOne({ _id: supervisor.id }, { $set: { name: 'Supervisor Renamed' } })
    const renamed = { id, manager_name: 'Manager Renamed', supervisor_name: 'Supervisor Renamed' }
    expect(await requestsOf(manager)).toMatchObject([renamed])
    const pending = supervisorRequest.array().parse((await auth.callAs(admin).get('/admin/supervisor-requests')).json)
    expect(pending.find(request => request.id === id)).toMatchObject(renamed)
  })

  test('come in pages: pending requests oldest first, a manager’s own newest first', async () => {
    const manager = await auth.addPerson('manager')
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) {
      // Some requests have the same time.
      if (count % 2) auth.clock.advance(1_000)
      ids.push((await requestSupervisor(manager, (await auth.addPerson('supervisor')).id)).json.request.id)
    }
    async function readPages(caller: Person, path: string) {
      const pagedIds: string[] = []
      let cursor: string | null = null
      do {
        const answer = await auth.callAs(caller).get(`${path}limit=2${cursor ? `&cursor=${cursor}` : ''}`)
        expect(answer.json.length).toBeLessThanOrEqual(2)
        pagedIds.push(...answer.json.map((request: { id: string }) => request.id))
        cursor = answer.headers.get('x-next-cursor')
      } while (cursor)
      return pagedIds
    }
    expect(await readPages(manager, '/manager/supervisor-requests?')).toEqual(ids.toReversed())
    const pending = await readPages(admin, '/admin/supervisor-requests?')
    expect(pending.filter(id => ids.includes(id))).toEqual(ids)
    expect(new Set(pending).size).toBe(pending.length)
    expect(await readPages(admin, '/admin/supervisor-requests?order=desc&')).toEqual(pending.toReversed())

    await review(ids[0]!, 'reject')
    expect(await readPages(admin, '/admin/supervisor-requests?')).not.toContain(ids[0])
    const answer = await auth.callAs(manager).get('/manager/supervisor-requests?limit=1')
    expect(answer.headers.get('x-total-count')).toBe('5')
    const counts = (await auth.callAs(admin).get('/admin/user-counts')).json
    const total = (await auth.callAs(admin).get('/admin/supervisor-requests?limit=1')).headers.get('x-total-count')
    expect(counts.pending_requests).toBe(Number(total))
    expect((await auth.callAs(admin).get('/admin/supervisor-requests?cursor=W10')).status).toBe(422)
  })

  test('have a manager’s own requests only', async () => {
    const { manager } = await createRequest()
    await createRequest()
    expect(await requestsOf(manager)).toHaveLength(1)
    expect(await requestsOf(await auth.addPerson('manager'))).toEqual([])
  })
})

describe('reviewing a request', () => {
  test('an approval assigns the manager, with events, comment and an audit entry', async () => {
    const { manager, supervisor, id } = await createRequest()
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
    expect(await auth.listEvents(supervisor.id)).toMatchObject([
      {
        type: 'user.manager_changed',
        data: {
          person: { id: supervisor.id, manager_id: manager.id, version: 2 },
          by: admin.id,
          previous_manager_id: null,
        },
      },
    ])
    expect((await auth.listEvents(id)).at(-1)).toMatchObject({
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
    expect(await auditActions(supervisor.id)).toEqual(['request_approved'])
    expect(await requestsOf(manager)).toMatchObject([{ status: 'approved', comment: 'Approved by admin' }])
    expect((await auth.callAs(manager).get('/manager/supervisors')).json).toMatchObject([{ id: supervisor.id }])
  })

  test('a rejection changes nobody and has a comment', async () => {
    const { manager, supervisor, id } = await createRequest()
    expect((await review(id, 'reject', { comment: 'Not this year' })).json.request).toMatchObject({
      status: 'rejected',
      comment: 'Not this year',
    })
    await expectManager(supervisor, null)
    expect(await typesOf(supervisor.id)).toEqual([])
    expect((await auth.listEvents(id)).at(-1)).toMatchObject({
      type: 'supervisor_request.reviewed',
      data: { approved: false, comment: 'Not this year' },
    })
    expect(await auditActions(supervisor.id)).toEqual(['request_rejected'])
    expect(await requestsOf(manager)).toMatchObject([{ status: 'rejected' }])
  })

  test('is refused the second time', async () => {
    for (const first of ['approve', 'reject'])
      for (const second of ['approve', 'reject']) {
        const { supervisor, id } = await createRequest()
        await review(id, first)
        expect(await review(id, second)).toMatchObject({ status: 409, json: { code: 'already_reviewed' } })
        expect(await statusOf(id)).toBe(first === 'approve' ? 'approved' : 'rejected')
        expect(await auditActions(supervisor.id)).toHaveLength(1)
      }
  })

  test('by two administrators concurrently takes effect once', async () => {
    for (const [first, second] of [
      ['approve', 'approve'],
      ['approve', 'reject'],
      ['reject', 'reject'],
    ]) {
      const { manager, supervisor, id } = await createRequest()
      const answers = await Promise.all([review(id, first), review(id, second, { by: secondAdmin })])
      expect(statuses(answers)).toEqual([200, 409])
      expect(answers.find(answer => answer.status === 409)!.json.code).toBe('already_reviewed')
      const isApproved = answers.find(answer => answer.status === 200)!.json.request.status === 'approved'
      await expectManager(supervisor, isApproved ? manager : null)
      expect(await typesOf(supervisor.id)).toEqual(isApproved ? ['user.manager_changed'] : [])
      expect(await typesOf(id)).toEqual(['supervisor_request.created', 'supervisor_request.reviewed'])
      expect(await auditActions(supervisor.id)).toEqual([isApproved ? 'request_approved' : 'request_rejected'])
    }
  })

  test('of two concurrent approvals for one supervisor one succeeds and the other request is declined', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { manager, supervisor, id } = await createRequest()
      const secondManager = await auth.addPerson('manager')
      const secondId = (await requestSupervisor(secondManager, supervisor.id)).json.request.id
      const answers = await Promise.all([review(id, 'approve'), review(secondId, 'approve', { by: secondAdmin })])
      expect(statuses(answers)).toEqual([200, 409])
      const refused = answers.find(answer => answer.status === 409)!
      expect(refused.json.code).toBe('already_reviewed')
      const isFirst = answers[0]!.status === 200
      await expectManager(supervisor, isFirst ? manager : secondManager)
      expect((await auth.findPerson((isFirst ? secondManager : manager).id))!.team_size).toBe(0)
      const declinedId = isFirst ? secondId : id
      expect(await statusOf(declinedId)).toBe('rejected')
      expect(await typesOf(declinedId)).toEqual(['supervisor_request.created', 'supervisor_request.reviewed'])
      expect(await auditActions(supervisor.id)).toEqual(['request_approved'])
    }
  })

  test('an approval tells other managers that the supervisor is no longer available', async () => {
    const { supervisor, id } = await createRequest()
    const otherManager = await auth.addPerson('manager')
    const otherSupervisor = await auth.addPerson('supervisor')
    const otherId = (await requestSupervisor(otherManager, supervisor.id)).json.request.id
    const unrelatedId = (await requestSupervisor(otherManager, otherSupervisor.id)).json.request.id
    await review(id, 'approve')
    const comment = 'No longer available: this supervisor now has another manager.'
    expect(await requestsOf(otherManager)).toMatchObject([
      { id: unrelatedId, status: 'pending' },
      { id: otherId, status: 'rejected', comment, reviewed_at: expect.any(String) },
    ])
    expect((await auth.listEvents(otherId)).at(-1)).toMatchObject({
      type: 'supervisor_request.reviewed',
      data: { manager_id: otherManager.id, approved: false, by: admin.id, comment },
    })
    const audit = await auth.callAs(admin).get('/admin/audit?action=request_approved&limit=1')
    expect(audit.json[0].after).toMatchObject({ declined_requests: 1 })
  })

  test('a supervisor whose manager changes role can be assigned to another manager', async () => {
    const { manager, supervisor, id } = await createRequest()
    const newManager = await auth.addPerson('manager')
    await review(id, 'approve')
    await assignRole(manager.id, 'director')
    const nextId = (await requestSupervisor(newManager, supervisor.id)).json.request.id
    expect((await review(nextId, 'approve')).status).toBe(200)
    await expectManager(supervisor, newManager)
  })

  test('concurrent with a change of either role leaves no supervisor under a former manager', async () => {
    for (const leavingRole of ['manager', 'supervisor', 'manager', 'supervisor'] as const) {
      const people = await createRequest()
      const [reviewed, changed] = await Promise.all([
        review(people.id, 'approve'),
        assignRole(people[leavingRole].id, 'director'),
      ])
      expect(changed.status).toBe(200)
      expect(await statusOf(people.id)).toBe(reviewed.status === 200 ? 'approved' : 'withdrawn')
      if (reviewed.status !== 200) expect(reviewed.json.code).toBe('already_reviewed')
      expect((await auth.findPerson(people.supervisor.id))!.manager_id).toBeNull()
      expect((await auth.findPerson(people.manager.id))!.team_size).toBe(0)
    }
  })

  test('of an unknown request or with an invalid body is refused', async () => {
    const { id } = await createRequest()
    expect((await review('nobody', 'approve')).status).toBe(404)
    for (const action of ['allow', '', null, undefined, { $ne: 1 }]) expect((await review(id, action)).status).toBe(422)
    expect((await review(id, 'approve', { comment: 'x'.repeat(limits.reasonMaxLength + 1) })).status).toBe(422)
    expect(await statusOf(id)).toBe('pending')
  })
})

describe('a change of role', () => {
  test('withdraws a manager’s pending requests and keeps reviewed ones', async () => {
    const { manager, id } = await createRequest()
    const reviewed = (await requestSupervisor(manager, (await auth.addPerson('supervisor')).id)).json.request.id
    await review(reviewed, 'reject')
    await assignRole(manager.id, 'user')
    expect([await statusOf(id), await statusOf(reviewed)]).toEqual(['withdrawn', 'rejected'])
    expect((await review(id, 'approve')).json.code).toBe('already_reviewed')
    const pending = (await auth.callAs(admin).get('/admin/supervisor-requests?limit=500')).json
    expect(pending.map((request: { id: string }) => request.id)).not.toContain(id)
  })

  test('withdraws all requests for a supervisor', async () => {
    const { manager, supervisor, id } = await createRequest()
    const secondManager = await auth.addPerson('manager')
    const secondId = (await requestSupervisor(secondManager, supervisor.id)).json.request.id
    await assignRole(supervisor.id, 'manager')
    expect([await statusOf(id), await statusOf(secondId)]).toEqual(['withdrawn', 'withdrawn'])
    expect(await requestsOf(manager)).toMatchObject([{ status: 'withdrawn', reviewed_at: null }])
    await assignRole(supervisor.id, 'supervisor')
    expect((await requestSupervisor(manager, supervisor.id)).status).toBe(200)
  })
})

test('only managers request supervisors, and only administrators review requests', async () => {
  const { supervisor, id } = await createRequest()
  const managerCalls: [string, string, unknown?][] = [
    ['POST', '/manager/request-supervisor', { requested_supervisor_id: supervisor.id }],
    ['GET', '/manager/supervisor-requests'],
  ]
  const adminCalls: [string, string, unknown?][] = [
    ['GET', '/admin/supervisor-requests'],
    ['POST', `/admin/supervisor-requests/${id}/review`, { action: 'approve' }],
  ]
  for (const call of [...managerCalls, ...adminCalls]) expect((await auth.anonymous.call(...call)).status).toBe(401)
  for (const role of ['user', 'supervisor', 'manager', 'director', 'admin'] as const) {
    const caller = auth.callAs(role === 'admin' ? admin : await auth.addPerson(role))
    for (const call of role === 'manager' ? [] : managerCalls) expect((await caller.call(...call)).status).toBe(403)
    for (const call of role === 'admin' ? [] : adminCalls) expect((await caller.call(...call)).status).toBe(403)
  }
  expect(await statusOf(id)).toBe('pending')
})

describe('withdrawing a request', () => {
  const withdraw = (manager: Person, id: string) => auth.callAs(manager).delete(`/manager/supervisor-requests/${id}`)

  test('ends it for its manager and the administrator, once and again', async () => {
    const { manager, supervisor, id } = await createRequest()
    const first = await withdraw(manager, id)
    expect(first.json.request).toMatchObject({ id, status: 'withdrawn', reviewed_at: expect.any(String) })
    expect((await withdraw(manager, id)).json).toEqual(first.json)
    expect((await review(id, 'approve')).status).toBe(409)
    await expectManager(supervisor, null)
    expect((await requestSupervisor(manager, supervisor.id)).status).toBe(200)
  })

  test('is refused to others, and after the review', async () => {
    const { manager, id } = await createRequest()
    expect((await withdraw(await auth.addPerson('manager'), id)).status).toBe(404)
    expect((await withdraw(await auth.addPerson('supervisor'), id)).status).toBe(403)
    expect((await withdraw(admin, id)).status).toBe(403)
    expect((await withdraw(manager, 'unknown')).status).toBe(404)
    expect(await statusOf(id)).toBe('pending')
    await review(id, 'reject')
    expect(await withdraw(manager, id)).toMatchObject({ status: 409, json: { code: 'already_reviewed' } })
    expect(await statusOf(id)).toBe('rejected')
  })

  test('and its approval, at the same moment: one of them wins', async () => {
    const { manager, supervisor, id } = await createRequest()
    const answers = await Promise.all([withdraw(manager, id), review(id, 'approve')])
    expect(statuses(answers)).toEqual([200, 409])
    const isApproved = (await statusOf(id)) === 'approved'
    await expectManager(supervisor, isApproved ? manager : null)
  })
})
