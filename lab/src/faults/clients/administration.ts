import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Member } from '../../shared/organisation.ts'
import type { Lane } from '../call-log.ts'
import { caller, createQuietPeriods, type LoadClients, pause, repeatUntilStopped } from './load.ts'

/** The administrator who moves people between roles and teams. */
export async function movePeople(clients: LoadClients): Promise<void> {
  const { admin, movers, teams } = clients.organisation
  const lane: Lane = { area: 'people', who: 'admin' }
  const call = caller(clients, admin.browser, lane)
  const rest = createQuietPeriods()
  const places = new Map(movers.map(each => [each.id, { role: 'user', supervisor: '' }]))
  const known = (id: string) => JSON.stringify(places.get(id))

  await repeatUntilStopped(clients, [lane], 700, async () => {
    const ready = movers.filter(each => !rest.isResting(each.id))
    const mover = ready[Math.floor(Math.random() * ready.length)]
    if (!mover) {
      await call('GET', '/admin/user-counts')
      return
    }
    const place = places.get(mover.id)!
    const path = `/admin/users/${mover.id}`
    const toRole = place.role !== 'user' || Math.random() < 0.3
    if (toRole) {
      const role = place.role === 'user' ? 'supervisor' : 'user'
      const entry = await call('PUT', `${path}/role`, { role })
      if (entry.acknowledged) places.set(mover.id, { role, supervisor: '' })
      clients.callLog.wrote(`place ${mover.id}`, JSON.stringify({ role, supervisor: '' }), entry)
      rest.after(mover.id, entry)
      return
    }
    const choice = ['', ...teams.map(each => each.supervisor.id)].filter(id => id !== place.supervisor)
    const supervisor = choice[Math.floor(Math.random() * choice.length)]!
    const entry = await call('PUT', `${path}/supervisor?supervisor_id=${supervisor}`)
    if (entry.acknowledged) places.set(mover.id, { ...place, supervisor })
    clients.callLog.wrote(
      `place ${mover.id}`,
      entry.acknowledged ? known(mover.id) : JSON.stringify({ ...place, supervisor }),
      entry,
    )
    rest.after(mover.id, entry)
  })
}

/** A manager requests a supervisor; the administrator reviews the request and undoes it later. */
export async function requestSupervisors(clients: LoadClients, manager: Member, spare: Member): Promise<void> {
  const lane: Lane = { area: 'people', who: manager.name }
  const asking = caller(clients, manager.browser, lane)
  const callAsAdmin = caller(clients, clients.organisation.admin.browser, lane)
  await repeatUntilStopped(clients, [lane], 1_000, async () => {
    const asked = await asking(
      'POST',
      '/manager/request-supervisor',
      { requested_supervisor_id: spare.id, reason: 'needed' },
      // An unanswered attempt may have made the request.
      { expected: [409] },
    )
    if (asked.status === 0) return
    const pending = await callAsAdmin('GET', '/admin/supervisor-requests')
    const requests: { id: string; manager_id: string }[] = pending.acknowledged ? pending.json : []
    const request = requests.find(each => each.manager_id === manager.id)
    if (!request) {
      if (asked.acknowledged && pending.acknowledged)
        clients.callLog.violation('lost', `the request ${asked.json.request.id} of ${manager.name} is not pending`)
      await callAsAdmin('PUT', `/admin/users/${spare.id}/manager?manager_id=`)
      return
    }
    const approved = Math.random() < 0.5
    const body = { action: approved ? 'approve' : 'reject', comment: '' }
    const answered = await callAsAdmin('POST', `/admin/supervisor-requests/${request.id}/review`, body, {
      expected: [409],
    })
    if (answered.acknowledged)
      clients.expectedRecords.requests.push({ id: request.id, managerId: manager.id, approved })
    else if (answered.tries.length === 1 && answered.status === 409)
      clients.callLog.violation(
        'refused',
        `the first answer to request ${request.id}: ${JSON.stringify(answered.json)}`,
      )
    await callAsAdmin('PUT', `/admin/users/${spare.id}/manager?manager_id=`)
  })
}

const importEveryMs = 6_000
const importPatienceMs = 60_000

/** The administrator imports people from files, two at a time. */
export async function importPeople(clients: LoadClients): Promise<void> {
  const who = 'imports'
  const call = caller(clients, clients.organisation.admin.browser, { area: 'people', who })
  await repeatUntilStopped(clients, [], importEveryMs, async () => {
    const mark = randomUUID().slice(0, 8)
    const emails = [`first-${mark}@example.org`, `second-${mark}@example.org`]
    const text = `email,name,role\n${emails.map(each => `${each},Invited ${each.slice(0, -12)},user\n`).join('')}`
    // An import without an acknowledged id is never applied.
    const begun = await call('POST', '/admin/imports', { file_name: `${mark}.csv`, parts: 1 })
    if (!begun.acknowledged) return
    const path = `/admin/imports/${begun.json.import.id}`
    await call('PUT', `${path}/parts/0`, { text }, { expected: [409] })
    const deadline = Date.now() + importPatienceMs
    for (;;) {
      const found = await call('GET', path)
      const status: string = found.acknowledged ? found.json.status : 'unknown'
      if (status === 'applied') break
      if (status === 'refused') {
        clients.callLog.violation('refused', `the import of ${emails}: ${JSON.stringify(found.json.problems)}`)
        return
      }
      if (Date.now() > deadline) {
        clients.callLog.violation('never answered', `the import of ${emails} stayed ${status}`)
        return
      }
      // After an unanswered call that succeeded, the same call conflicts.
      const again = { expected: [409] }
      if (status === 'uploading') await call('PUT', `${path}/parts/0`, { text }, again)
      if (status === 'checked') await call('POST', `${path}/apply`, undefined, again)
      else if (status === 'uploading' || status === 'interrupted') await call('POST', `${path}/check`, undefined, again)
      await sleep(200)
    }
    clients.expectedRecords.imports.push(emails)
    await pause(100, clients.stopping)
  })
}
