import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { apiClient } from '@watchline/testing/api-client'
import { createEventPublisher, type PublishEvent } from '@watchline/testing/events'
import { createTestWorld, eventually, type TestWorld } from '@watchline/testing/harness'
import { type OwnerServices, startOwnerServices } from '@watchline/testing/owners'
import { type ServiceProcess, startServiceProcess } from '@watchline/testing/processes'
import { ImapFlow } from 'imapflow'
import { SMTPServer } from 'smtp-server'
import { type MailServers, mailDomain, provisionMail } from '../../src/provision/mail-servers.ts'
import { type MailProxy, openMailProxy } from './_mail-proxy.ts'

const reports = 'watchline'
const names = Array.from({ length: 40 }, (_, index) => `trainee-${index + 1}`)
const managerNames = Array.from({ length: 4 }, (_, index) => `manager-${index + 1}`)
const successorName = 'successor'
const supervisorName = 'supervisor'
const due = { at: '2026-01-31T16:00:00.000Z', local: '2026-01-31T17:00', time_zone: 'Europe/Berlin' }

const folder = mkdtempSync(join(tmpdir(), 'watchline-mail-'))
let servers: MailServers
let refusingServer: SMTPServer
let proxy: MailProxy
let reportsProxy: MailProxy
let world: TestWorld
let owners: OwnerServices
let replicas: ServiceProcess[]
let publish: PublishEvent

beforeAll(async () => {
  refusingServer = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: (_address, _session, callback) =>
      callback(Object.assign(new Error('5.1.1 the mailbox is gone'), { responseCode: 550 })),
  })
  await new Promise<void>(resolve => refusingServer.listen(0, '127.0.0.1', resolve))
  const { port } = refusingServer.server.address() as AddressInfo
  servers = await provisionMail({
    dataDir: folder,
    mailboxes: [reports, ...names, ...managerNames, successorName, supervisorName],
    relays: { 'refusing.example': port },
    log: () => {},
  })
  proxy = await openMailProxy(servers.smtpPort)
  reportsProxy = await openMailProxy(servers.imapPort)
  world = await createTestWorld({ bus: 'rabbitmq', live: 'redis' })
  owners = await startOwnerServices()
  publish = createEventPublisher(world.ports.bus)
  replicas = [await startReplica(), await startReplica()]
})
afterAll(async () => {
  for (const replica of replicas ?? []) await replica.stop()
  await owners?.close()
  await world?.close()
  await proxy?.close()
  await reportsProxy?.close()
  await servers?.stop()
  await new Promise<void>(resolve => refusingServer.close(() => resolve()))
  rmSync(folder, { recursive: true, force: true })
})

function startReplica(): Promise<ServiceProcess> {
  return startServiceProcess('notification', world, {
    AUTH_URL: owners.url,
    PLAYBACK_SESSION_URL: owners.url,
    ENGAGEMENT_URL: owners.url,
    PUBLIC_URL: 'http://watchline.example',
    SMTP_URL: `smtp://127.0.0.1:${proxy.port}`,
    MAIL_FROM: `Watchline <${reports}@${mailDomain}>`,
    MAIL_REPORTS_URL: `imap://${reports}:${servers.password}@127.0.0.1:${reportsProxy.port}`,
  })
}

function addTrainee(email: string): PersonSnapshot {
  const person = owners.addPerson('user', { email, email_verified: true })
  addTask(person, 'list')
  return person
}

/** An open task that is due. */
function addTask({ id }: PersonSnapshot, playlistId: string) {
  owners.assignments.set(`${id}:${playlistId}`, {
    person_id: id,
    playlist_id: playlistId,
    assigned_date: due.at,
    due: { at: due.at, changed_at: due.at },
  })
}

/** A manager of one supervisor, who has one trainee with two overdue tasks. */
function addManager(name: string) {
  const manager = owners.addPerson('manager', { email: `${name}@${mailDomain}`, email_verified: true })
  const supervisor = owners.addPerson('supervisor', { manager_id: manager.id })
  const trainee = owners.addPerson('user', { supervisor_id: supervisor.id })
  const tasks = ['first', 'second'].map(title => ({ playlist_id: `${manager.id}-${title}`, title }))
  for (const { playlist_id } of tasks) addTask(trainee, playlist_id)
  return { manager, supervisor, trainee, tasks }
}

type Team = ReturnType<typeof addManager>

/** One event for each task. The same events again are repetitions of them. */
async function escalate(teams: readonly Team[]) {
  for (const { manager, trainee, tasks } of teams)
    for (const task of tasks) {
      const data = { ...task, people: [trainee.id], recipient: manager.id, due }
      await publish('task.escalated', data, { id: `escalation-${task.playlist_id}` })
    }
}

const mails = () => world.database('notification').collection('mails')

/** The subjects in a mailbox, read over IMAP. */
async function readMailbox(name: string): Promise<(string | undefined)[]> {
  const client = new ImapFlow({
    ...{ host: '127.0.0.1', port: servers.imapPort, secure: false, doSTARTTLS: false, logger: false },
    auth: { user: name, pass: servers.password },
  })
  await client.connect()
  try {
    const { exists } = await client.mailboxOpen('INBOX')
    const subjects: (string | undefined)[] = []
    if (exists > 0)
      for await (const { envelope } of client.fetch('1:*', { envelope: true })) subjects.push(envelope?.subject)
    return subjects
  } finally {
    await client.logout()
  }
}

const statesOf = async (people: readonly PersonSnapshot[]) => {
  const ids = people.map(({ id }) => id)
  const rows = await mails()
    .find({ recipient_id: { $in: ids } })
    .toArray()
  return rows.map(({ state }) => state as string).sort()
}

async function killAllReplicas() {
  await Promise.all(replicas.map(replica => replica.kill()))
}
const startAllReplicas = () => Promise.all(replicas.map(replica => replica.start()))

let teams: Team[]

test('an escalated task is in one mail of the manager although all replicas are killed before they store it', async () => {
  teams = managerNames.map(addManager)
  const answers = Promise.withResolvers<void>()
  owners.heldUntil = answers.promise
  await escalate(teams)
  // The replicas ask the owners whether the tasks are still open.
  const isChecking = ({ trainee }: Team) => owners.requestedPaths.some(path => path.includes(trainee.id))
  await eventually(() => expect(teams.every(isChecking)).toBe(true))
  await killAllReplicas()
  answers.resolve()
  expect(await mails().countDocuments()).toBe(0)
  await startAllReplicas()
  await eventually(async () => {
    const rows = await mails().find({ kind: 'task_escalated', state: 'waiting' }).toArray()
    const tasksOf = ({ manager }: Team) =>
      rows.filter(row => row.recipient_id === manager.id).map(row => row.escalated_tasks.length)
    expect(teams.map(tasksOf)).toEqual(teams.map(() => [2]))
  })
  // A publisher that died before the broker's confirmation publishes its events again.
  await escalate(teams)
})

/** A supervisor who chose mails about completed playlists, and the event about a trainee's. */
async function addCompletion() {
  const supervisor = owners.addPerson('supervisor', { email: `${supervisorName}@${mailDomain}`, email_verified: true })
  const { id } = owners.addPerson('user', { supervisor_id: supervisor.id })
  const client = apiClient(replicas[0]!.url, world.token(supervisor))
  await client.put('/notifications/mail/choices', { kinds: ['playlist_completed'] })
  const completion = { person_id: id, playlist_id: 'list', completed_at: due.at, playlist_title: 'Safety first' }
  return { supervisor, publishCompletion: () => publish('playlist.completed', completion, { id: `completion-${id}` }) }
}

test('every mailbox holds one mail although all senders are killed before they record the answers', async () => {
  const people = names.map(name => addTrainee(`${name}@${mailDomain}`))
  const completed = people[0]!
  owners.completions.add(`${completed.id}:list`)
  const { supervisor, publishCompletion } = await addCompletion()
  proxy.holdAnswers()
  reportsProxy.refuse()
  // The time of the digests comes.
  await mails().updateMany({ kind: 'task_escalated' }, { $set: { next_at: new Date() } })
  await publishCompletion()
  const offeredMails = teams.length + 1
  await eventually(() => expect(proxy.heldAnswers()).toBe(offeredMails))
  const task = { playlist_id: 'list', title: 'Safety first', reason: 'overdue' as const, due }
  await publish('task.due', { ...task, people: people.map(({ id }) => id) })
  // Both replicas have as many attempts open as they may, and the mail server has these mails.
  await eventually(() => expect(proxy.heldAnswers()).toBe(10))
  await killAllReplicas()
  proxy.restore()
  expect(await statesOf(people)).not.toContain('sent')
  await startAllReplicas()
  await publishCompletion()

  const statesWith = (unknown: number) => [
    'cancelled',
    ...Array.from({ length: people.length - 1 - unknown }, () => 'sent'),
    ...Array.from({ length: unknown }, () => 'unknown'),
  ]
  // The mailbox of delivery reports cannot be read yet, so the mails that the dead processes sent
  // wait for them.
  await eventually(async () => expect(await statesOf(people)).toEqual(statesWith(10 - offeredMails)))
  const managers = teams.map(({ manager }) => manager)
  await eventually(async () => expect(new Set(await statesOf(managers))).toEqual(new Set(['unknown'])))
  reportsProxy.restore()
  await eventually(async () => expect(await statesOf(people)).toEqual(statesWith(0)))
  for (const [index, name] of names.entries()) {
    const received = await readMailbox(name)
    expect([name, received.length]).toEqual([name, index === 0 ? 0 : 1])
  }
  await eventually(async () => expect(await statesOf(managers)).toEqual(managers.map(() => 'sent')))
  for (const name of managerNames) expect(await readMailbox(name)).toEqual(['In your teams: 2 overdue tasks'])
  await eventually(async () => expect(await statesOf([supervisor])).toEqual(['sent']))
  expect(await readMailbox(supervisorName)).toEqual(['Playlist completed'])
  // Only reports about its own mails are deleted, and every mail has one.
  await eventually(async () => expect(await readMailbox(reports)).toEqual([]))
})

test('a team that got another manager before the mail is in one mail of that manager, although all replicas are killed', async () => {
  const moved = addManager('manager-1')
  await mails().deleteMany({ kind: 'task_escalated' })
  await escalate([moved])
  const tasksOf = async ({ id }: PersonSnapshot) =>
    (await mails().find({ recipient_id: id, state: 'waiting' }).toArray()).map(row => row.escalated_tasks.length)
  await eventually(async () => expect(await tasksOf(moved.manager)).toEqual([2]))
  const successor = owners.addPerson('manager', { email: `${successorName}@${mailDomain}`, email_verified: true })
  owners.changePerson(moved.supervisor, { manager_id: successor.id })
  const sendNow = () => mails().updateMany({ kind: 'task_escalated' }, { $set: { next_at: new Date() } })
  const answers = Promise.withResolvers<void>()
  owners.heldUntil = answers.promise
  const asked = owners.requestedPaths.length
  await sendNow()
  // A replica asks who is responsible, and dies before it passes the tasks on.
  await eventually(() =>
    expect(owners.requestedPaths.slice(asked).some(path => path.includes(moved.trainee.id))).toBe(true),
  )
  await killAllReplicas()
  answers.resolve()
  await startAllReplicas()
  await eventually(async () => expect(await tasksOf(successor)).toEqual([2]))
  await eventually(async () => expect(await statesOf([moved.manager])).toEqual(['cancelled']))
  await mails().updateMany({ recipient_id: successor.id }, { $set: { next_at: new Date() } })
  await eventually(async () => expect(await statesOf([successor])).toEqual(['sent']))
  expect(await readMailbox(successorName)).toEqual(['In your teams: 2 overdue tasks'])
  expect(await readMailbox('manager-1')).toHaveLength(1)
})

test('addresses that refuse mails, at once or later by a report, fail visibly and get no further mail', async () => {
  const unknown = addTrainee(`no-such-mailbox@${mailDomain}`)
  const gone = addTrainee('gone@refusing.example')
  const admin = owners.addPerson('admin')
  const status = async () =>
    (await apiClient(replicas[0]!.url, world.token(admin)).get('/notifications/mail/status')).json
  const task = { playlist_id: 'list', title: 'Safety first', reason: 'overdue' as const, due }
  await publish('task.due', { ...task, people: [unknown.id, gone.id] })
  await eventually(async () => {
    const { bounces } = await status()
    const found = bounces.map(({ address }: { address: string }) => address).sort()
    expect(found).toEqual([gone.email, unknown.email])
  })
  expect(await statesOf([unknown, gone])).toEqual(['failed', 'failed'])
  const { latest_failures } = await status()
  expect(JSON.stringify(latest_failures)).toContain('the mailbox is gone')
  await publish('task.due', { ...task, title: 'Another', people: [unknown.id, gone.id] })
  await eventually(async () =>
    expect(await statesOf([unknown, gone])).toEqual(['cancelled', 'cancelled', 'failed', 'failed']),
  )
})
