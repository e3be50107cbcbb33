import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { ensureIndexes, newId } from '@watchline/kit/mongo/database'
import { eventually as eventuallyUnaided } from '@watchline/testing/harness'
import { retryDelayAfter } from '../../src/rules/mail-retry.ts'
import { createNotificationService } from '../../src/service.ts'
import { claimMs } from '../../src/store/mails.ts'
import { eventuallyIn, type TestMailServer } from '../_mail-server.ts'
import { type NotificationWorld, startNotifications } from '../_util.ts'
import { due, list, openMails, setUpMailTests } from './_set-up.ts'

let world: NotificationWorld
let server: TestMailServer
const { addTrainee, remind, receivedBy, storedFor, untilState, eventually } = setUpMailTests(started => {
  ;({ world, server } = started)
})

describe('a mail server', () => {
  test('that refuses an address for good fails the mail at once, and gets no further mail for it', async () => {
    const trainee = addTrainee()
    const admin = world.addPerson('admin')
    server.faults.set(trainee.email, { toRecipient: '550 5.1.1 no such mailbox' })
    await remind([trainee])
    expect((await untilState(trainee, 'failed')).explanation).toContain('no such mailbox')
    const status = (await world.callAs(admin).get('/notifications/mail/status')).json
    expect(status.latest_failures[0]).toMatchObject({ person_id: trainee.id, kind: 'task_overdue' })
    expect(status.bounces[0]).toMatchObject({ person_id: trainee.id, address: trainee.email })
    expect((await world.callAs(trainee).get('/notifications/mail/choices')).json.address_problem).toBe('bouncing')

    await remind([trainee], { title: 'Another' })
    await eventually(async () =>
      expect(await world.collection('mails').countDocuments({ recipient_id: trainee.id, state: 'cancelled' })).toBe(1),
    )
    expect(server.attempts(trainee.email)).toBe(1)
    server.faults.clear()
    const clear = () => world.callAs(admin).delete(`/notifications/mail/bounces/${trainee.id}`)
    expect([(await clear()).status, (await clear()).status]).toEqual([200, 404])
    await remind([trainee], { title: 'A third' })
    await eventually(() => expect(receivedBy(trainee)).toHaveLength(1))
  })

  test.each([
    ['refuses for now', { toRecipient: '450 4.2.0 try later' }],
    ['refuses the content for now', { toContent: '451 4.3.0 try later' }],
  ])('that %s gets the mail again after a while', async (_case, fault) => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, fault)
    await remind([trainee])
    await eventually(async () => expect((await storedFor(trainee))?.explanation).toContain('try later'))
    expect(await untilState(trainee, 'waiting')).toMatchObject({ attempts: 1 })
    server.faults.clear()
    world.clock.advance(60_000)
    await untilState(trainee, 'sent')
    expect(receivedBy(trainee)).toHaveLength(1)
  })

  test('that is away takes no mail’s attempts, and gets all mails when it is back, but none after three days', async () => {
    server.isDown = true
    const late = addTrainee()
    await remind([late])
    await eventually(async () => expect(await storedFor(late)).not.toBeNull())
    world.clock.advance(2 * 24 * 3_600_000)
    const people: PersonSnapshot[] = []
    const before = server.connections()
    await eventually(async () => {
      // Longer than any pause. The new mail makes the process look at once.
      world.clock.advance(60_000)
      people.push(addTrainee())
      await remind(people.slice(-1))
      expect(server.connections()).toBeGreaterThan(before + limits.mailAttempts)
    })
    // An attempt under way has compared the age of its mail already.
    await untilState(late, 'waiting')
    world.clock.advance(25 * 3_600_000)
    server.isDown = false
    await eventually(async () => {
      // An attempt that ended after the server came back pauses the process once more.
      world.clock.advance(1_000)
      for (const person of people) expect((await storedFor(person))?.state).toBe('sent')
    })
    expect((await untilState(late, 'failed')).explanation).toBe('It could not be sent for three days.')
    expect(receivedBy(late)).toEqual([])
  })

  test.each([['550 5.7.1 not permitted'], ['554 Transaction failed'], ['550 Blocked']])(
    'that refuses everything with “%s” is asked again, and the address stays',
    async toRecipient => {
      const trainee = addTrainee()
      server.faults.set(trainee.email, { toRecipient })
      await remind([trainee])
      await eventually(async () =>
        expect(await storedFor(trainee)).toMatchObject({ attempts: 1, state: 'waiting', explanation: toRecipient }),
      )
      server.faults.clear()
      world.clock.advance(retryDelayAfter(1)!)
      await untilState(trainee, 'sent')
    },
  )

  test('that refuses a mail for a full mailbox gets the next one', async () => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, { toRecipient: '552 5.2.2 mailbox full' })
    await remind([trainee])
    await untilState(trainee, 'failed')
    server.faults.clear()
    await remind([trainee], { title: 'Another' })
    await eventually(() => expect(receivedBy(trainee)).toHaveLength(1))
  })

  test('that never accepts a mail is asked a bounded number of times', async () => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, { toRecipient: '450 4.2.0 try later' })
    await remind([trainee])
    for (let attempts = 1; attempts < 10; attempts += 1) {
      await eventually(async () => expect(await storedFor(trainee)).toMatchObject({ attempts, state: 'waiting' }))
      world.clock.advance(retryDelayAfter(attempts)!)
    }
    await untilState(trainee, 'failed')
    expect(server.attempts(trainee.email)).toBe(10)
  })

  test.each([
    ['without an answer', { cutsAfterContent: true }],
    ['within its answer', { cutsWithinAnswer: true }],
  ])('that dies %s leaves the mail unknown, and gets it again with the same id', async (_case, fault) => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, fault)
    await remind([trainee])
    await untilState(trainee, 'unknown')
    server.faults.clear()
    world.clock.advance(29 * 60_000)
    const other = addTrainee()
    await remind([other])
    await untilState(other, 'sent')
    expect(receivedBy(trainee)).toHaveLength(1)
    world.clock.advance(60_000)
    await untilState(trainee, 'sent')
    const ids = receivedBy(trainee).map(mail => mail.header('Message-ID'))
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  test('that is slow holds up no other mail, and gets at most five at once', async () => {
    const slow = addTrainee()
    server.faults.set(slow.email, { isSilent: true })
    await remind([slow])
    await eventually(() => expect(receivedBy(slow)).toHaveLength(1))
    const others = Array.from({ length: 12 }, () => addTrainee())
    await remind(others)
    for (const other of others) await untilState(other, 'sent')
    expect((await storedFor(slow))!.state).toBe('sending')
    server.release()
    await untilState(slow, 'sent')
    expect(server.mostConnections()).toBeLessThanOrEqual(5)
    for (const person of [slow, ...others]) expect(receivedBy(person)).toHaveLength(1)
  })
})

test('of two replicas one sends each mail, and an expired claim of a dead one is taken over', async () => {
  const replica = createNotificationService(world.config, await world.otherPorts())
  await replica.start()
  world.running.push(replica)
  const people = Array.from({ length: 30 }, () => addTrainee())
  await remind(people)
  for (const person of people) await untilState(person, 'sent')
  for (const person of people) expect(receivedBy(person)).toHaveLength(1)

  const [abandoned, offered] = [addTrainee(), addTrainee()]
  const template = { kind: 'task_overdue', facts: { kind: 'task_overdue', people: [], count: 1, happenings: 1 } }
  const claimed = { state: 'sending', claim: 'of a dead process', attempts: 1, next_at: new Date(world.clock.now()) }
  const mails = world.collection('mails')
  const rowOf = ({ id }: PersonSnapshot) => ({
    _id: newId() as never,
    recipient_id: id,
    created_at: new Date(world.clock.now()),
  })
  await mails.insertMany([
    { ...rowOf(abandoned), ...template, ...claimed },
    { ...rowOf(offered), ...template, ...claimed, offered_at: new Date() },
  ])
  await untilState(abandoned, 'sent')
  await untilState(offered, 'unknown')
  expect(receivedBy(offered)).toEqual([])
})

/** Another installation, whose trainees all get a reminder by their superior. */
async function startReminded(count: number, options: { maxPerMinute?: number; replicas?: number } = {}) {
  const { maxPerMinute, replicas = 1 } = options
  const other = await startNotifications({ mail: { ...server.config, maxPerMinute }, replicas })
  const people = Array.from({ length: count }, () => other.addPerson('user', { email_verified: true }))
  for (const { id: person_id } of people)
    other.owners.assignments.set(`${person_id}:${list}`, { person_id, playlist_id: list, assigned_date: due.at })
  const ids = people.map(({ id }) => id)
  const task = { playlist_id: list, title: 'Safety first', by: ids[0]! }
  return {
    ...other,
    remindAll: () => other.publish('task.reminded', { ...task, reminded: ids, reminded_at: due.at }),
    countMails: (filter: object) => other.collection('mails').countDocuments(filter),
  }
}

test('a late renewal of a claim does not send a mail again whose outcome is unknown', async () => {
  const createdAt = new Date(1)
  const { database, mails } = await openMails(world, 'claims', createdAt)
  const claimed = await mails.claimNext(createdAt, createdAt)
  await mails.markOffered(claimed!, 'one@example.org', createdAt)
  const expired = new Date(claimMs + 1)
  const unknownUntil = new Date(30 * 60_000)
  expect(await mails.claimNext(expired, unknownUntil)).toBeUndefined()
  await mails.renewClaim(claimed!, expired)
  expect(await mails.claimNext(new Date(3 * claimMs), unknownUntil)).toBeUndefined()
  expect(await mails.claimNext(unknownUntil, unknownUntil)).toMatchObject({ id: 'mail', attempts: 2 })
  await database.close()
})

test('a look for mails reads few of those that wait', async () => {
  const other = await startReminded(200)
  try {
    const database = other.database('notification')
    const claims = { 'command.findAndModify': 'mails' }
    // At level 2 the profile would ignore the filter.
    await database.command({ profile: 1, filter: claims })
    await other.remindAll()
    await eventuallyIn(other, async () => expect(await other.countMails({ state: 'sent' })).toBe(200))
    await database.command({ profile: 0 })
    const looks = await database.collection('system.profile').find(claims).toArray()
    await database.collection('system.profile').drop()
    // The profile keeps the latest ones only.
    expect(looks.length).toBeGreaterThan(20)
    // Attempts that look at the same time read each other's mails, too.
    const examined = looks.map(({ docsExamined = 0, keysExamined = 0 }) => Math.max(docsExamined, keysExamined))
    expect(Math.max(...examined)).toBeLessThan(100)
  } finally {
    await other.stop()
  }
})

test('all replicas together keep the limit of mails in a minute', async () => {
  const other = await startReminded(7, { maxPerMinute: 3, replicas: 2 })
  try {
    await other.remindAll()
    for (const sent of [3, 6, 7]) {
      // The limit, too, lets mails wait for the clock.
      await eventuallyUnaided(async () => {
        expect(await other.countMails({ state: 'sent' })).toBe(sent)
        const later = { state: 'waiting', next_at: { $gt: new Date(other.clock.now()) } }
        expect(await other.countMails(later)).toBe(7 - sent)
      })
      other.clock.advance(60_000)
    }
  } finally {
    await other.stop()
  }
})

test('a mail expires by the time at which it was settled; one that waits is kept for as long as it may be sent', async () => {
  const { database } = await openMails(world, 'expiry', new Date())
  const rows = database.collection('mails')
  // Earlier versions also removed mails that waited.
  await rows.createIndex({ created_at: 1 }, { expireAfterSeconds: 3_600 })
  await ensureIndexes(database)
  const expiring = (await rows.indexes()).filter(index => index.expireAfterSeconds !== undefined)
  const expiries = expiring.map(({ key, expireAfterSeconds }) => [...Object.keys(key), expireAfterSeconds])
  expect(expiries.sort()).toEqual([
    ['next_at', limits.mailMaxAgeMs / 1_000],
    ['settled_at', 3_600],
  ])
  await database.close()
})

test('a reminder of a due date does not wait behind many other mails', async () => {
  const { database, mails } = await openMails(world, 'order', new Date(1_000))
  const rows = database.collection<{ _id: string }>('mails')
  const { _id: _, ...reminder } = (await rows.findOne({ _id: 'mail' }))!
  const older = { ...reminder, kind: 'task_reminded', next_at: new Date(1) }
  await rows.insertMany(['first', 'second'].map(_id => ({ ...older, _id })))
  const claimNext = async () => (await mails.claimNext(new Date(2_000), new Date(2_000)))?.id
  expect(await claimNext()).toBe('mail')
  expect([await claimNext(), await claimNext()].sort()).toEqual(['first', 'second'])
  expect(await claimNext()).toBeUndefined()
  await database.close()
})

test('an administrator gets a test mail with the server’s answer, nobody else does', async () => {
  const admin = world.addPerson('admin')
  const sendTest = (person: PersonSnapshot) => world.callAs(person).post('/notifications/mail/test', {})
  expect((await sendTest(admin)).json).toMatchObject({ success: true, address: admin.email })
  expect(receivedBy(admin)).toHaveLength(1)
  expect((await sendTest(addTrainee())).status).toBe(403)
  server.faults.set(admin.email, { toRecipient: '550 5.1.1 no such mailbox' })
  const refused = await sendTest(admin)
  expect([refused.status, refused.json.code]).toEqual([503, 'mail_refused'])
  expect(refused.json.detail).toContain('no such mailbox')
})

test('an invited administrator gets the link, which is stored nowhere, and a forged one is refused', async () => {
  const admin = world.addPerson('admin')
  const token = randomBytes(32).toString('base64url')
  const tokenHash = createHash('sha256').update(token).digest('hex')
  const email = 'invited@example.org'
  const invitation = { id: newId(), name: 'Invited\r\nBcc: x@example.org', email, invited_by_name: 'Admin One' }
  world.owners.adminInvitations.set(tokenHash, { ...invitation, expires_at: '2027-01-04T17:00:00.000Z' })
  const mail = (person: PersonSnapshot, sentToken: string) =>
    world.callAs(person).post('/notifications/mail/admin-invitation', { token: sentToken })
  expect((await mail(admin, token)).json).toMatchObject({ success: true, address: email })
  // A repeated call has the same Message-ID, by which receivers recognise it.
  expect((await mail(admin, token)).status).toBe(200)
  const received = server.received.filter(({ address }) => address === email)
  expect(received).toHaveLength(2)
  expect(new Set(received.map(({ header }) => header('message-id'))).size).toBe(1)
  const text = received[0]!.content.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  expect(text).toContain(`http://watchline.example/admin#invite=${token}`)
  expect(text).toContain('Admin One invites you')
  expect(text).toContain('until 4 January 2027')
  expect(received[0]!.header('bcc')).toBeUndefined()

  expect((await mail(admin, 'forged')).json.code).toBe('invalid_invitation')
  expect((await mail(world.addPerson('director'), token)).status).toBe(403)
  expect(world.owners.requestedPaths.join()).not.toContain(token)
  for (const { name } of await world.database('notification').listCollections().toArray())
    expect([name, JSON.stringify(await world.collection(name).find().toArray()).includes(token)]).toEqual([name, false])
  server.faults.set(email, { toRecipient: '550 5.1.1 no such mailbox' })
  expect((await mail(admin, token)).json).toMatchObject({ code: 'mail_refused' })
})
