import { afterAll, expect, test } from '@jest/globals'
import { erasedMessage } from '@watchline/contracts/chat'
import { erasedName } from '@watchline/contracts/people'
import { topologyOf } from '@watchline/kit/messaging/rabbitmq/topology'
import { newId } from '@watchline/kit/mongo/database'
import type { Browser } from '@watchline/testing/browser'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { connect } from 'amqplib'
import { Redis } from 'ioredis'
import { startMailServer, type TestMailServer } from '../../../services/notification/test/_mail-server.ts'
import { useSystem } from './_use-system.ts'

const services = ['auth', 'playback-session', 'engagement', 'notification', 'chat']
let mailServer: TestMailServer
const running = useSystem(async () => {
  mailServer = await startMailServer()
  return {
    SMTP_URL: `smtp://127.0.0.1:${mailServer.config.server.port}`,
    MAIL_FROM: 'Watchline <watchline@example.org>',
    MAIL_UNVERIFIED_ADDRESSES: 'true',
  }
})
afterAll(() => mailServer?.close())

/** Everything in all databases, as lines of `service collection document`. */
async function readDatabases(): Promise<string[]> {
  const lines: string[] = []
  for (const service of services) {
    const database = running.system.database(service)
    const collections = await database.listCollections({ name: /^(?!system\.)/ }, { nameOnly: true }).toArray()
    for (const { name } of collections)
      for (const document of await database.collection(name).find().toArray())
        lines.push(`${service} ${name} ${JSON.stringify(document)}`)
  }
  return lines
}

/** All keys and values of the live store. */
async function readLiveStore(): Promise<string[]> {
  const redis = new Redis(serverUrl('REDIS_URL'))
  try {
    const keys = await redis.keys(`${running.system.name}:*`)
    const read = async (key: string): Promise<unknown> => {
      const type = await redis.type(key)
      if (type === 'hash') return redis.hgetall(key)
      if (type === 'zset') return redis.zrange(key, '0', '-1')
      return type === 'string' ? redis.get(key) : redis.smembers(key)
    }
    return await Promise.all(keys.map(async key => `redis ${key} ${JSON.stringify(await read(key))}`))
  } finally {
    redis.disconnect()
  }
}

/** All messages of the queues; they return to their places. */
async function readQueues(): Promise<string[]> {
  const connection = await connect(serverUrl('AMQP_URL'))
  const { queue, dead } = topologyOf(running.system.name)
  const channel = await connection.createChannel()
  const found: string[] = []
  for (const name of services.flatMap(service => [queue(service), dead(service)]))
    for (let message = await channel.get(name); message; message = await channel.get(name))
      found.push(`queue ${name} ${message.content.toString()}`)
  await connection.close()
  return found
}

/** Adds a dead letter as the bus does. */
async function addDeadLetter(service: string, event: object): Promise<void> {
  const connection = await connect(serverUrl('AMQP_URL'))
  const channel = await connection.createConfirmChannel()
  channel.sendToQueue(topologyOf(running.system.name).dead(service), Buffer.from(JSON.stringify(event)), {
    persistent: true,
  })
  await channel.waitForConfirms()
  await connection.close()
}

async function search(texts: readonly string[]): Promise<string[]> {
  const lines = [
    ...(await readDatabases()),
    ...(await readLiveStore()),
    ...(await readQueues()),
    ...running.system.logs(),
  ]
  const needles = texts.map(text => text.toLowerCase())
  return lines.filter(line => needles.some(needle => line.toLowerCase().includes(needle)))
}

const reason = 'a reason about Erasmus'
const note = 'a note to Erasmus'
const changeReason = 'more time for Erasmus'
const reportName = 'Overdue of the east wing'
/** Nobody else in the run chose it. */
const timeZone = 'Pacific/Chatham'

/**
 * The trainee and the supervisor get into a group, its record, a task with an exception, a saved
 * report and mails.
 */
async function useEverything({ playlist_id }: { playlist_id: string }): Promise<void> {
  const { traffic } = running
  const succeed = async (person: Browser, ...call: Parameters<Browser['call']>) => {
    const answer = await person.call(...call)
    expect([answer.status < 300, answer.json]).toEqual([true, answer.json])
    return answer.json
  }
  const { admin, supervisor, trainee } = traffic
  const { id } = await succeed(trainee, 'GET', '/auth/profile')
  const { id: supervisorId } = await succeed(supervisor, 'GET', '/auth/profile')
  const task = `/playlists/${playlist_id}/assign`
  await succeed(supervisor, 'DELETE', task, { assigned_users: [id] })
  await succeed(supervisor, 'PUT', task, { assigned_users: [id], note })
  const { group } = await succeed(admin, 'POST', '/groups', {
    ...{ name: 'East wing', source: { kind: 'manual' }, assigners: [supervisorId] },
  })
  await succeed(admin, 'POST', `/groups/${group.id}/members`, { user_ids: [id, supervisorId] })
  await eventually(() => succeed(supervisor, 'PUT', `/playlists/${playlist_id}/groups/${group.id}`, {}))
  await succeed(supervisor, 'PUT', `/playlists/${playlist_id}/assign/due`, {
    ...{ assigned_users: [id], due: { local: '2035-01-31T17:00' }, reason: changeReason },
  })
  await succeed(trainee, 'PUT', '/notifications/mail/choices', { language: 'en', time_zone: timeZone })
  await eventually(async () =>
    expect(JSON.stringify(await succeed(trainee, 'GET', '/notifications'))).toContain(changeReason),
  )
  await succeed(supervisor, 'PUT', `/playlists/${playlist_id}/assign/override`, {
    ...{ assigned_users: [id], change_id: crypto.randomUUID(), action: 'exempt', reason },
  })
  await eventually(() => succeed(supervisor, 'POST', `/records/groups/${group.id}/issued`, {}))
  await succeed(supervisor, 'POST', `/records/people/${id}/issued`, {})
  const choice = { name: reportName, by: 'person', period: 'this_month' }
  const { report } = await succeed(supervisor, 'POST', '/engagement/saved-reports', choice)
  await succeed(supervisor, 'POST', `/engagement/saved-reports/${report.id}/send`, { client_id: crypto.randomUUID() })
  const { email } = await succeed(supervisor, 'GET', '/auth/profile')
  await eventually(async () => expect(mailServer.received.some(({ address }) => address === email)).toBe(true))
}

test('an erased trainee and an erased supervisor are in no database, live store, queue, dead letter or log', async () => {
  const { system, traffic } = running
  await traffic.begin()
  const where = await traffic.learn()
  await traffic.comment(where)
  await traffic.review()
  await traffic.chat()
  await useEverything(where)
  const { id, email, name } = (await traffic.trainee.call('GET', '/auth/profile')).json
  const { id: supervisorId } = (await traffic.supervisor.call('GET', '/auth/profile')).json
  const texts = [
    name,
    email,
    note,
    reason,
    changeReason,
    timeZone,
    ...traffic.secrets().texts.filter(text => /[cmr]$/.test(text)),
  ]

  // The provider gives the trainee another name and address; the texts above have the earlier ones.
  const auth = system.database('auth')
  const renamed = { name: 'Renamed Person', email: `renamed.${email}` }
  await auth.collection<{ _id: string }>('people').updateOne({ _id: id }, { $set: { subject: renamed.email } })
  await auth
    .collection<{ _id: string }>('development_names')
    .insertOne({ _id: renamed.email, name: renamed.name } as never)
  await traffic.trainee.call('POST', '/session/monitoring', { is_monitoring: false })
  expect((await traffic.trainee.signIn(renamed.email)).status).toBe(200)
  expect((await traffic.trainee.call('GET', '/auth/profile')).json).toMatchObject({ id, ...renamed })
  texts.push(renamed.name)

  const team = `/admin/users/${id}/supervisor?supervisor_id=`
  for (const supervisor of ['', supervisorId])
    expect((await traffic.admin.call('PUT', team + supervisor)).status).toBe(200)

  // An event that waits in the queue of a stopped service, and a dead letter, hold a text.
  await system.groups.notification.scale(0)
  await traffic.comment(where)
  const engagement = system.database('engagement')
  const pending = { pending: true }
  await eventually(async () => expect(await engagement.collection('outbox').countDocuments(pending)).toBe(0))
  const [, comment] = await engagement.collection('comments').find().sort({ created_at: 1 }).toArray()
  await addDeadLetter('notification', {
    specversion: '1.0',
    id: newId(),
    source: 'engagement',
    type: 'comment.edited',
    subject: String(comment!._id),
    time: new Date().toISOString(),
    data: { comment_id: comment!._id, person_id: id, ...where, timestamp: 3, text: comment!.text, revision: 2 },
  })
  const changedIn = (await search([changeReason])).map(line => line.split(' ').slice(0, 2).join(' '))
  expect([...new Set(changedIn)].sort()).toEqual([
    ...['engagement issued_records', 'engagement task_facts', 'notification notifications'],
    ...['playback-session assignment_changes', 'playback-session outbox'],
  ])
  const before = (await search(texts)).map(line => line.split(' ').slice(0, 2).join(' '))
  expect([...new Set(before)].sort()).toEqual(
    [
      ...['audit', 'development_items', 'group_members', 'development_names', 'import_parts', 'outbox', 'people'].map(
        name => `auth ${name}`,
      ),
      ...['assignments', 'comments', 'issued_records', 'outbox', 'people', 'task_facts'].map(
        name => `engagement ${name}`,
      ),
      ...['assignment_changes', 'assignments', 'outbox', 'people', 'time_zones'].map(
        name => `playback-session ${name}`,
      ),
      ...['mail_choices', 'notifications', 'outbox', 'people'].map(name => `notification ${name}`),
      ...['chat people', 'chat rooms'],
      `queue ${topologyOf(system.name).queue('notification')}`,
      `queue ${topologyOf(system.name).dead('notification')}`,
    ].sort(),
  )

  expect((await traffic.erase(id, 'another@people.example')).status).toBe(422)
  const answer = await traffic.erase(id, renamed.email)
  expect(answer).toMatchObject({ status: 200, json: { erasure: { person_id: id, completed_at: null } } })
  await eventually(async () => expect((await traffic.trainee.call('GET', '/auth/profile')).status).toBe(401))
  await system.groups.notification.scale(1)
  const [receipt] = await eventually(async () => {
    const { json } = await traffic.admin.call('GET', '/admin/erasures')
    return json[0].completed_at !== null && json
  })
  expect(receipt).toMatchObject({ person_id: id, by: { name: expect.any(String) } })

  await eventually(async () => expect(await search(texts)).toEqual([]))

  // The partner keeps the room, the figures stay, and a repeated erasure is harmless.
  const [room] = (await traffic.supervisor.call('GET', '/chat/rooms')).json
  expect(room.other).toMatchObject({ id, name: erasedName, email: '' })
  const messages = (await traffic.supervisor.call('GET', `/chat/messages/${room.id}`)).json
  expect(messages).toMatchObject([{ sender_id: id, message: erasedMessage }])
  expect(
    await system
      .database('engagement')
      .collection('watchers')
      .countDocuments({ _id: id as never }),
  ).toBe(1)
  expect(await system.database('playback-session').collection('assignments').countDocuments({ person_id: id })).toBe(1)
  expect((await traffic.erase(id, email)).json.erasure.id).toBe(receipt.id)
  const { json: entries } = await traffic.admin.call('GET', '/admin/audit?action=erased')
  expect(entries).toMatchObject([{ subject: { id, name: erasedName, email: '' }, after: { erasure_id: receipt.id } }])

  const { name: supervisorName, email: supervisorEmail } = (await traffic.supervisor.call('GET', '/auth/profile')).json
  const supervisorTexts = [supervisorName, supervisorEmail, reportName]
  const supervisorWords = [...traffic.secrets().texts.filter(text => text.endsWith('r')), ...supervisorTexts]
  expect(await search(supervisorTexts)).not.toEqual([])
  expect((await traffic.erase(supervisorId, '')).status).toBe(422)
  expect((await traffic.erase(supervisorId, supervisorEmail)).status).toBe(200)
  await eventually(async () => {
    const { json } = await traffic.admin.call('GET', '/admin/erasures')
    expect(json[0]).toMatchObject({ person_id: supervisorId, completed_at: expect.any(String) })
  })
  await eventually(async () => expect(await search(supervisorWords)).toEqual([]))
})
