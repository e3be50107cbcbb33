import { describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { makeErasure } from '@watchline/testing/erased-person'
import type { TestMailServer } from '../_mail-server.ts'
import type { NotificationWorld } from '../_util.ts'
import { due, list, setUpMailTests } from './_set-up.ts'

let world: NotificationWorld
let server: TestMailServer
const { addTrainee, override, remind, receivedBy, storedFor, untilState, eventually } = setUpMailTests(started => {
  ;({ world, server } = started)
})

describe('a reminder', () => {
  test.each([
    [
      'is completed a moment before',
      async (person: PersonSnapshot) => void world.owners.completions.add(`${person.id}:${list}`),
    ],
    ['is withdrawn', async (person: PersonSnapshot) => void world.owners.assignments.delete(`${person.id}:${list}`)],
    [
      'has another due date',
      async (person: PersonSnapshot) => {
        world.owners.assignments.get(`${person.id}:${list}`)!.due!.at = '2027-02-28T16:00:00.000Z'
      },
    ],
    [
      'is of a deactivated person',
      async (person: PersonSnapshot) =>
        void world.owners.changePerson(person, { deactivated_at: '2027-01-01T08:00:00.000Z' }),
    ],
    [
      'is of a person with an address that nobody has confirmed',
      async (person: PersonSnapshot) => void world.owners.changePerson(person, { email_verified: false }),
    ],
    ['is not required any more', async (person: PersonSnapshot) => override(person, 'exempt')],
    ['is marked as done', async (person: PersonSnapshot) => override(person, 'marked_done')],
  ])('of a task is not sent if the task %s', async (_case, change) => {
    const [trainee, other] = [addTrainee(), addTrainee()]
    // The service gets to know the person, who calls it below.
    await world.callAs(trainee).get('/notifications/mail/choices')
    // The owners do not answer, so both mails wait until the change has happened.
    world.owners.unavailable = true
    await remind([trainee, other])
    for (const person of [trainee, other]) await eventually(async () => expect(await storedFor(person)).not.toBeNull())
    await change(trainee)
    world.owners.unavailable = false
    await eventually(async () => {
      const states = [(await storedFor(other))?.state, (await storedFor(trainee))?.state]
      // An attempt that the owners did not answer waits for the clock.
      if (states.includes('waiting')) world.clock.advance(60_000)
      expect(states).toEqual(['sent', 'cancelled'])
    })
    expect(receivedBy(trainee)).toEqual([])
  })

  test('is not sent as “due soon” when its due date has passed', async () => {
    const trainee = addTrainee()
    world.clock.advance(Date.parse(due.at) - world.clock.now() + 1)
    await remind([trainee], { reason: 'due_soon' })
    expect((await untilState(trainee, 'cancelled')).explanation).toBe('The due date has passed.')
  })

  test('is not sent if its task is completed while the mail server is slow', async () => {
    const trainee = addTrainee()
    server.faults.set(trainee.email, { isSlow: true })
    await remind([trainee])
    await eventually(() => expect(server.attempts(trainee.email)).toBe(1))
    world.owners.completions.add(`${trainee.id}:${list}`)
    world.clock.advance(2_000)
    server.release()
    expect((await untilState(trainee, 'cancelled')).explanation).toBe('The task is completed.')
    expect(receivedBy(trainee)).toEqual([])
    server.faults.clear()
  })

  test('leaves nothing after an erasure, and is not sent any more', async () => {
    const trainee = addTrainee()
    world.owners.unavailable = true
    await remind([trainee])
    await eventually(async () => expect(await storedFor(trainee)).not.toBeNull())
    await world.publish('user.erased', makeErasure(trainee))
    await eventually(async () => expect(await storedFor(trainee)).toBeNull())
    world.owners.unavailable = false
    const next = addTrainee()
    await remind([next])
    await eventually(async () => {
      const mail = await storedFor(next)
      // The attempt that the owners did not answer may end only now, and pauses the process.
      if (mail?.state === 'waiting') world.clock.advance(60_000)
      expect(mail?.state).toBe('sent')
    })
    expect(receivedBy(trainee)).toEqual([])
  })

  test('to an address that nobody has confirmed is counted for administrators', async () => {
    const unverified = addTrainee({ email_verified: false })
    const admin = world.addPerson('admin')
    const counts = async () => (await world.callAs(admin).get('/notifications/mail/status')).json.counts
    const before = (await counts()).unverified
    await remind([unverified])
    await untilState(unverified, 'cancelled')
    expect((await counts()).unverified).toBe(before + 1)
  })
})
