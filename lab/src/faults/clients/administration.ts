import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Member } from '../../shared/organisation.ts'
import type { Lane } from '../call-log.ts'
import { createCaller, createQuietPeriods, type LoadClients, pause, repeatUntilStopped } from './load.ts'

/** The administrator who moves people between roles and teams. */
export async function movePeople(clients: LoadClients): Promise<void> {
  const { admin, movers, teams } = clients.organisation
  const lane: Lane = { area: 'people', client: 'admin' }
  const call = createCaller(clients, admin.browser, lane)
  const quietPeriods = createQuietPeriods(clients.callLog)
  const memberships = new Map(movers.map(mover => [mover.id, { role: 'user', supervisor: '' }]))
  const knownMembership = (id: string) => JSON.stringify(memberships.get(id))

  await repeatUntilStopped(clients, [lane], 700, async () => {
    const candidates = movers.filter(mover => !quietPeriods.mayHaveUnansweredWrite(mover.id))
    const mover = candidates[Math.floor(Math.random() * candidates.length)]
    if (!mover) {
      await call('GET', '/admin/user-counts')
      return
    }
    const membership = memberships.get(mover.id)!
    const path = `/admin/users/${mover.id}`
    const changesRole = membership.role !== 'user' || Math.random() < 0.3
    if (changesRole) {
      const role = membership.role === 'user' ? 'supervisor' : 'user'
      const entry = await call('PUT', `${path}/role`, { role })
      if (entry.acknowledged) memberships.set(mover.id, { role, supervisor: '' })
      clients.callLog.recordWrite(`membership ${mover.id}`, JSON.stringify({ role, supervisor: '' }), entry)
      quietPeriods.startIfUnanswered(mover.id, entry)
      return
    }
    const choices = ['', ...teams.map(team => team.supervisor.id)].filter(id => id !== membership.supervisor)
    const supervisor = choices[Math.floor(Math.random() * choices.length)]!
    const entry = await call('PUT', `${path}/supervisor?supervisor_id=${supervisor}`)
    if (entry.acknowledged) memberships.set(mover.id, { ...membership, supervisor })
    clients.callLog.recordWrite(
      `membership ${mover.id}`,
      entry.acknowledged ? knownMembership(mover.id) : JSON.stringify({ ...membership, supervisor }),
      entry,
    )
    quietPeriods.startIfUnanswered(mover.id, entry)
  })
}

/** A manager requests a supervisor; the administrator reviews the request and undoes it later. */
export async function requestSupervisors(clients: LoadClients, manager: Member, spare: Member): Promise<void> {
  const lane: Lane = { area: 'people', client: manager.name }
  const callAsManager = createCaller(clients, manager.browser, lane)
  const callAsAdmin = createCaller(clients, clients.organisation.admin.browser, lane)
  await repeatUntilStopped(clients, [lane], 1_000, async () => {
    const requested = await callAsManager(
      'POST',
      '/manager/request-supervisor',
      { requested_supervisor_id: spare.id, reason: 'needed' },
      // An unanswered attempt may have made the request.
      { acceptedStatuses: [409] },
    )
    if (requested.status === 0) return
    const pending = await callAsAdmin('GET', '/admin/supervisor-requests')
    const requests: { id: string; manager_id: string }[] = pending.acknowledged ? pending.json : []
    const request = requests.find(candidate => candidate.manager_id === manager.id)
    if (!request) {
      if (requested.acknowledged && pending.acknowledged)
        clients.callLog.reportViolation(
          'request lost',
          `request ${requested.json.request.id} of ${manager.name} is not pending`,
        )
      await callAsAdmin('PUT', `/admin/users/${spare.id}/manager?manager_id=`)
      return
    }
    const approved = Math.random() < 0.5
    const body = { action: approved ? 'approve' : 'reject', comment: '' }
    const reviewed = await callAsAdmin('POST', `/admin/supervisor-requests/${request.id}/review`, body, {
      acceptedStatuses: [409],
    })
    if (reviewed.acknowledged)
      clients.expectedRecords.requests.push({ id: request.id, managerId: manager.id, approved })
    else if (reviewed.attempts.length === 1 && reviewed.status === 409)
      clients.callLog.reportViolation(
        'refused',
        `the first review of request ${request.id}: ${JSON.stringify(reviewed.json)}`,
      )
    await callAsAdmin('PUT', `/admin/users/${spare.id}/manager?manager_id=`)
  })
}

const importEveryMs = 6_000
const importLimitMs = 60_000

/** The administrator imports people from files, two at a time. */
export async function importPeople(clients: LoadClients): Promise<void> {
  const call = createCaller(clients, clients.organisation.admin.browser, { area: 'people', client: 'imports' })
  await repeatUntilStopped(clients, [], importEveryMs, async () => {
    const mark = randomUUID().slice(0, 8)
    const emails = [`first-${mark}@example.org`, `second-${mark}@example.org`]
    const text = `email,name,role\n${emails.map(email => `${email},Invited ${email.slice(0, -12)},user\n`).join('')}`
    // An import without an acknowledged id is never applied.
    const created = await call('POST', '/admin/imports', { file_name: `${mark}.csv`, parts: 1 })
    if (!created.acknowledged) return
    const path = `/admin/imports/${created.json.import.id}`
    await call('PUT', `${path}/parts/0`, { text }, { acceptedStatuses: [409] })
    const deadline = Date.now() + importLimitMs
    for (;;) {
      const found = await call('GET', path)
      const status: string = found.acknowledged ? found.json.status : 'unknown'
      if (status === 'applied') break
      if (status === 'refused') {
        clients.callLog.reportViolation('refused', `the import of ${emails}: ${JSON.stringify(found.json.problems)}`)
        return
      }
      if (Date.now() > deadline) {
        clients.callLog.reportViolation('never answered', `the import of ${emails} stayed ${status}`)
        return
      }
      // After an unanswered call that succeeded, the same call conflicts.
      const resendOptions = { acceptedStatuses: [409] }
      if (status === 'uploading') await call('PUT', `${path}/parts/0`, { text }, resendOptions)
      if (status === 'checked') await call('POST', `${path}/apply`, undefined, resendOptions)
      else if (status === 'uploading' || status === 'interrupted')
        await call('POST', `${path}/check`, undefined, resendOptions)
      await sleep(200)
    }
    clients.expectedRecords.imports.push(emails)
    await pause(100, clients.stopping)
  })
}
