import { describe, expect, test } from '@jest/globals'
import { mailKind } from '@watchline/contracts/mail'
import { mailPlaceholders, writePlaceholder } from '@watchline/contracts/mail-settings'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { makeErasure } from '@watchline/testing/erased-person'
import { decodeQuotedPrintable } from '../_mail-server.ts'
import type { NotificationWorld } from '../_util.ts'
import { list, setUpMailTests } from './_set-up.ts'

let world: NotificationWorld
const { addTrainee, choose, remind, receivedBy, untilState, eventually } = setUpMailTests(started => {
  world = started.world
})

describe('words of an administrator', () => {
  const own = { subject: 'Bitte {task} ansehen', text: 'Guten Tag {name},\n\n{link}', link_label: 'Zur Aufgabe' }
  const path = '/notifications/mail/wordings/task_overdue'
  const findWording = async (admin: PersonSnapshot) =>
    (await world.callAs(admin).get('/notifications/mail/wordings')).json.find(
      (wording: { kind: string }) => wording.kind === 'task_overdue',
    )

  test('are in the next mail, in the audit log, and end with the default words', async () => {
    const admin = world.addPerson('admin', { name: 'Admin One' })
    const save = (body: object) => world.callAs(admin).put(path, body)
    const { version, subject } = await findWording(admin)
    expect((await save({ wording: own, version })).json).toMatchObject({
      ...{ ...own, kind: 'task_overdue', is_default: false, version: version + 1, updated_by: 'Admin One' },
    })
    const trainee = addTrainee({ name: 'Trainee 1' })
    await remind([trainee])
    await untilState(trainee, 'sent')
    const text = decodeQuotedPrintable(receivedBy(trainee)[0]!.content)
    expect(receivedBy(trainee)[0]!.header('Subject')).toBe('Bitte Safety first ansehen')
    expect(text).toContain('Guten Tag Trainee 1,')
    expect(text).toContain('Zur Aufgabe:')
    expect(text).toContain('Reminders of due dates cannot be turned off.')

    // The same call twice, and one of an administrator who saw the earlier version.
    const late = await Promise.all([save({ wording: own, version }), save({ wording: null, version })])
    expect(late.map(({ json }) => json.code)).toEqual(['edited_elsewhere', 'edited_elsewhere'])
    const restored = await Promise.all([1, 2].map(() => save({ wording: null, version: version + 1 })))
    expect(restored.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await findWording(admin)).toMatchObject({ subject, is_default: true, version: version + 2 })
    const change = { field: 'subject', before: subject, after: own.subject }
    const published = (await world.publishedEvents()).filter(({ type }) => type === 'mail_settings.changed')
    expect(published.map(({ data }) => data)).toMatchObject([
      { setting: 'wording', by: admin.id, kind: 'task_overdue', is_default: false },
      { is_default: true },
    ])
    expect(published[0]!.data.changes).toContainEqual(change)
  })

  test('with an own end are in mails, in the audit log, and refused without the way to end the kind', async () => {
    const admin = world.addPerson('admin')
    const reminded = '/notifications/mail/wordings/task_reminded'
    const save = (wording: object | null, version: number) => world.callAs(admin).put(reminded, { wording, version })
    const refused = await save({ ...own, footer: 'Ende' }, 0)
    expect([refused.status, refused.json.errors[0].path]).toEqual([422, 'wording.footer'])
    expect((await save({ ...own, footer: 'Keine mehr: {unsubscribe}' }, 0)).json).toMatchObject({
      ...{ version: 1, footer: 'Keine mehr: {unsubscribe}' },
    })
    const trainee = addTrainee()
    const task = { playlist_id: list, title: 'Safety first', by: admin.id }
    await world.publish('task.reminded', { ...task, reminded: [trainee.id], reminded_at: '2027-01-01T09:00:00.000Z' })
    await untilState(trainee, 'sent')
    const text = decodeQuotedPrintable(receivedBy(trainee)[0]!.content)
    expect(text).toContain('Keine mehr: http://watchline.example/?page=unsubscribe#token=')
    expect(text).not.toContain('You get this mail')
    await save(null, 1)
    const changes = (await world.publishedEvents()).filter(({ data }) => data.kind === 'task_reminded')
    expect(changes[0]!.data.changes).toContainEqual({ field: 'footer', before: '', after: 'Keine mehr: {unsubscribe}' })
  })

  test('that quote a reply, as forms of earlier versions offered, are sent without its text', async () => {
    const admin = world.addPerson('admin')
    const replied = '/notifications/mail/wordings/comment_replied'
    const quoting = { ...own, text: '{message} {sender}: {comment:siehe dort}.\n\n{link}' }
    expect((await world.callAs(admin).put(replied, { wording: quoting, version: 0 })).status).toBe(200)
    const trainee = addTrainee()
    await choose(trainee, ['comment_replied'])
    const facts = {
      ...{ kind: 'comment_replied', people: [{ id: 'other', name: 'Trainee 2' }], count: 1, happenings: 1 },
      ...{ video: { id: 'film-1', title: 'Fire exits' }, timestamp: 75, text: 'Behind the stairs' },
    }
    const at = new Date(world.clock.now())
    // A mail that an earlier version stored.
    await world.collection('mails').insertOne({
      ...{ _id: newId() as never, recipient_id: trainee.id, kind: 'comment_replied', facts },
      ...{ state: 'waiting', attempts: 0, created_at: at, next_at: at },
    })
    await untilState(trainee, 'sent')
    const text = decodeQuotedPrintable(receivedBy(trainee)[0]!.content)
    expect(text).toContain('your comment at 1:15 in “Fire exits”. Trainee 2: siehe dort.')
    expect(text).not.toContain('Behind the stairs')
  })

  test('with a broken placeholder are refused with its place, and change nothing', async () => {
    const admin = world.addPerson('admin')
    const before = await findWording(admin)
    const refused = await world
      .callAs(admin)
      .put(path, { wording: { ...own, text: `Hello\n{nmae} {link}` }, version: before.version })
    expect(refused.status).toBe(422)
    expect(refused.json.errors).toEqual([
      { path: 'wording.text', message: expect.stringContaining('line 2, column 1: “{nmae}” is not known here') },
    ])
    const preview = await world.callAs(admin).post(`${path}/preview`, { ...own, text: 'no link' })
    expect(preview.json.errors).toEqual([{ path: 'text', message: expect.stringContaining('must contain {link}') }])
    expect(await findWording(admin)).toEqual(before)
  })

  test('are shown with an example of each kind', async () => {
    const admin = world.addPerson('admin', { name: 'Admin <One>' })
    for (const kind of mailKind.options) {
      const example = { ...own, subject: '{title}', text: '{name}: {message}\n\n{link}' }
      const preview = await world.callAs(admin).post(`/notifications/mail/wordings/${kind}/preview`, example)
      expect(preview.json.paragraphs).toHaveLength(2)
      expect(preview.json.html).toContain('Admin &lt;One&gt;')
    }
  })

  test('are shown with a value for each placeholder of the kind', async () => {
    const admin = world.addPerson('admin', { name: 'Admin One' })
    for (const kind of mailKind.options) {
      const placeholders = mailPlaceholders[kind].map(writePlaceholder)
      const words = { ...own, subject: '{title}', text: placeholders.join('\n\n') }
      const { json } = await world.callAs(admin).post(`/notifications/mail/wordings/${kind}/preview`, words)
      expect([kind, json.paragraphs.length]).toEqual([kind, placeholders.length])
      expect(json.text).not.toMatch(/–|undefined/)
    }
  })

  test('name an erased administrator no longer', async () => {
    const admin = world.addPerson('admin', { name: 'Admin Gone' })
    const { version } = await findWording(admin)
    await world.callAs(admin).put(path, { wording: null, version })
    await world.publish('user.erased', makeErasure(admin))
    const other = world.addPerson('admin')
    await eventually(async () => expect((await findWording(other)).updated_by).not.toBe('Admin Gone'))
  })
})
