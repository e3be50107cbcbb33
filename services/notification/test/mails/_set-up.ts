import { afterAll, beforeAll, expect } from '@jest/globals'
import type { OverrideKind } from '@watchline/contracts/fields'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { createDatabase, ensureIndexes, inTransaction, openDatabase } from '@watchline/kit/mongo/database'
import { createGroup } from '../../src/rules/activity.ts'
import { createMailStore } from '../../src/store/mails.ts'
import { eventuallyIn, startMailWorld, type TestMailServer } from '../_mail-server.ts'
import type { NotificationWorld } from '../_util.ts'

export const due = { at: '2027-01-31T16:00:00.000Z', local: '2027-01-31T17:00', time_zone: 'Europe/Berlin' }
export const list = 'list-1'

interface MailTests {
  world: NotificationWorld
  server: TestMailServer
}

/**
 * Starts the service with a mail server before the tests of a file, and stops both after them. The
 * file gets both with `onStart`, and the steps that its tests share.
 */
export function setUpMailTests(onStart: (started: MailTests) => void) {
  let world: NotificationWorld
  let server: TestMailServer
  let stop: () => Promise<void>
  beforeAll(async () => {
    ;({ server, world, stop } = await startMailWorld())
    onStart({ world, server })
  })
  afterAll(() => stop())

  const eventually = <T>(check: () => Promise<T> | T) => eventuallyIn(world, check)
  const storedFor = (person: { id: string }) => world.collection('mails').findOne({ recipient_id: person.id })
  return {
    eventually,
    storedFor,

    /** A trainee with an open task that is due. */
    addTrainee: (fields: Partial<PersonSnapshot> = {}): PersonSnapshot => {
      const person = world.addPerson('user', { email_verified: true, ...fields })
      world.owners.assignments.set(`${person.id}:${list}`, {
        person_id: person.id,
        playlist_id: list,
        assigned_date: '2027-01-01T08:00:00.000Z',
        due: { at: due.at, changed_at: '2027-01-01T08:00:00.000Z' },
      })
      return person
    },

    override: (person: PersonSnapshot, kind: OverrideKind): void => {
      const at = '2027-01-02T08:00:00.000Z'
      const value = { kind, by: 'supervisor', at, reason: 'parental leave' }
      world.owners.assignments.get(`${person.id}:${list}`)!.override = { value, changed_at: at }
    },

    remind: (people: readonly PersonSnapshot[], fields: { reason?: 'due_soon' | 'overdue'; title?: string } = {}) => {
      const { reason = 'overdue', title = 'Safety first' } = fields
      return world.publish('task.due', { playlist_id: list, title, reason, people: people.map(({ id }) => id), due })
    },

    choose: async (person: PersonSnapshot, kinds: readonly string[]): Promise<void> => {
      const { status } = await world.callAs(person).put('/notifications/mail/choices', { kinds })
      expect(status).toBe(200)
    },

    receivedBy: ({ email }: { email: string }) => server.received.filter(({ address }) => address === email),

    untilState: (person: { id: string }, state: string) =>
      eventually(async () => {
        const mail = await storedFor(person)
        expect(mail?.state).toBe(state)
        return mail!
      }),
  }
}

/** A store in a database of its own that no job reads, with one reminder. */
export async function openMails({ config }: NotificationWorld, name: string, createdAt: Date) {
  const database = createDatabase()
  const mails = createMailStore(database, 3_600)
  await openDatabase(database, config.mongoUrl, `${config.databasePrefix}-${name}`)
  await ensureIndexes(database)
  const group = createGroup({ kind: 'task_overdue', person: null, count: 1 })
  await inTransaction(database, session =>
    mails.add([{ id: 'mail', recipientId: 'one', kind: 'task_overdue', group, task: undefined, createdAt }], session),
  )
  return { database, mails }
}
