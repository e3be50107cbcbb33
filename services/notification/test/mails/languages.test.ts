import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { mailKind } from '@watchline/contracts/mail'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { makeErasure } from '@watchline/testing/erased-person'
import { defaultWordings } from '../../src/rules/mail-wording.ts'
import { decodeQuotedPrintable } from '../_mail-server.ts'
import type { NotificationWorld } from '../_util.ts'
import { due, list, setUpMailTests } from './_set-up.ts'

let world: NotificationWorld
const { addTrainee, remind, receivedBy, untilState, eventually } = setUpMailTests(started => {
  world = started.world
})

describe('languages of mails', () => {
  const path = '/notifications/mail/languages'
  const wordings = '/notifications/mail/wordings'
  const german = {
    ...{ subject: 'Überfällig: {task}', link_label: 'Zur Aufgabe' },
    text: 'Guten Tag {name},\n\n„{task}“ war fällig am {due_date}.\n\n{link}',
  }
  let admin: PersonSnapshot
  beforeAll(() => {
    admin = world.addPerson('admin', { name: 'Admin One' })
  })
  afterEach(() => save([]))
  const read = async () => (await world.callAs(admin).get(path)).json
  const save = async (languages: string[], fields: object = {}) =>
    world.callAs(admin).put(path, { default_language: 'en', languages, version: (await read()).version, ...fields })
  const wordingIn = async (language: string) =>
    (await world.callAs(admin).get(`${wordings}?language=${language}`)).json.find(
      ({ kind }: { kind: string }) => kind === 'task_overdue',
    )
  const saveWords = (language: string, wording: object | null, version: number) =>
    world.callAs(admin).put(`${wordings}/task_overdue?language=${language}`, { wording, version })
  const choose = (person: PersonSnapshot, choice: object) =>
    world.callAs(person).put('/notifications/mail/choices', choice)
  const receive = async (person: PersonSnapshot) => {
    await remind([person])
    await eventually(async () => {
      const rows = await world.collection('mails').find({ recipient_id: person.id }).toArray()
      expect(rows.map(({ state }) => state)).not.toContain('waiting')
      expect(receivedBy(person)).toHaveLength(rows.length)
    })
    return decodeQuotedPrintable(receivedBy(person).at(-1)!.content)
  }
  const english = 'was due on 31 January 2027 at 17:00 (Europe/Berlin).'

  test('each person gets theirs with its dates, and the default language without words or after its removal', async () => {
    expect((await save(['de', 'fr'])).json).toMatchObject({ languages: ['de', 'fr'], updated_by: 'Admin One' })
    const { version, subject, is_default, language } = await wordingIn('de')
    expect([subject, is_default, language]).toEqual(['Task overdue: {task}', true, 'de'])
    const [saved, late] = await Promise.all([1, 2].map(() => saveWords('de', german, version))).then(answers =>
      answers.sort((a, b) => a.status - b.status),
    )
    expect([saved!.json, late!.json]).toMatchObject([
      { ...german, kind: 'task_overdue', language: 'de', is_default: false, version: version + 1 },
      { code: 'edited_elsewhere' },
    ])
    const [inGerman, inFrench, other] = [addTrainee({ name: 'Trainee 1' }), addTrainee(), addTrainee()]
    expect((await choose(inGerman, { language: 'de' })).status).toBe(200)
    expect((await choose(inFrench, { language: 'fr' })).status).toBe(200)
    const text = await receive(inGerman)
    expect(text).toContain('war fällig am 31. Januar 2027 um 17:00 (Europe/Berlin).')
    expect(text).toContain('<html lang="de">')
    expect(text).toContain('<div lang="en"')
    // Nobody wrote the words of this mail in French.
    for (const person of [inFrench, other]) expect(await receive(person)).toContain(english)

    await save(['fr'])
    expect((await world.callAs(inGerman).get('/notifications/mail/choices')).json).toMatchObject({
      ...{ language: null, default_language: 'en', languages: ['fr'] },
    })
    expect(await receive(inGerman)).toContain(english)
    expect((await saveWords('de', null, version + 1)).json.code).toBe('not_found')
    await save(['de'])
    expect(await receive(inGerman)).toContain('31. Januar 2027')
    expect((await saveWords('de', null, version + 1)).json).toMatchObject({ is_default: true, version: version + 2 })
    expect(await receive(inGerman)).toContain(english)
    const changes = (await world.publishedEvents())
      .filter(({ type }) => type === 'mail_settings.changed')
      .map(({ data }) => data)
    expect(changes).toContainEqual(
      expect.objectContaining({
        ...{ setting: 'wording', by: admin.id },
        changes: [{ field: 'languages', before: '', after: 'de, fr' }],
      }),
    )
    expect(changes).toContainEqual(expect.objectContaining({ kind: 'task_overdue', language: 'de', is_default: true }))
  })

  test('the first default language is that of the words that an administrator saved before', async () => {
    const own = '/notifications/mail/wordings/task_overdue'
    // As in the versions before there were languages.
    await world.collection('mail_languages').deleteOne({ _id: 'languages' as never })
    const all = (await world.callAs(admin).get(wordings)).json
    const { version } = all.find(({ kind }: { kind: string }) => kind === 'task_overdue')
    await world.callAs(admin).put(own, { wording: german, version })
    const trainee = addTrainee()
    expect(await receive(trainee)).toContain('am 31 January 2027 at 17:00')
    expect((await save([], { default_language: 'de' })).status).toBe(200)
    expect(await receive(trainee)).toContain('am 31. Januar 2027 um 17:00')
    const preview = await world.callAs(admin).post(`${own}/preview`, german)
    expect(preview.json.text).toContain('am 31. Januar 2027 um 17:00 (UTC)')
    await world.callAs(admin).put(own, { wording: null, version: version + 1 })
    // The words that come with Watchline stay English.
    expect(await receive(trainee)).toContain(english)
  })

  test('each language keeps its words, whichever is the default one', async () => {
    const own = '/notifications/mail/wordings/task_overdue'
    const wordingOf = async () =>
      (await world.callAs(admin).get(wordings)).json.find(({ kind }: { kind: string }) => kind === 'task_overdue')
    await save(['de'])
    const custom = { ...german, text: '{name}, {task} is late since {due_date}. {link}' }
    const version = (await wordingOf()).version
    expect((await world.callAs(admin).put(own, { wording: custom, version })).status).toBe(200)
    await saveWords('de', german, (await wordingIn('de')).version)
    const [inEnglish, without] = [addTrainee(), addTrainee()]
    await choose(inEnglish, { language: 'en' })
    await save([])
    await save(['en'], { default_language: 'de' })
    expect(await receive(without)).toContain('war fällig am 31. Januar 2027 um 17:00')
    expect(await receive(inEnglish)).toContain('is late since 31 January 2027')
    expect(await wordingOf()).toMatchObject({ ...german, is_default: false })
    // Readers of English get the words of Watchline before those of another language.
    const stored = await wordingIn('en')
    expect(stored).toMatchObject({ ...custom, is_default: false })
    expect((await saveWords('en', null, stored.version)).json).toMatchObject({
      is_default: true,
      text: defaultWordings.task_overdue.text,
    })
    expect(await receive(inEnglish)).toContain(english)
    const changed = (await wordingOf()).version
    expect((await world.callAs(admin).put(own, { wording: null, version: changed })).json.is_default).toBe(true)
    expect(await receive(without)).toContain(english)
  })

  test('a version before could store words of one language twice: the latest ones count', async () => {
    await save(['fr'])
    const { version, languages, default_language } = await read()
    expect([languages, default_language]).toEqual([['fr'], 'en'])
    await saveWords('fr', { ...german, text: 'Bonjour {name} {link}' }, (await wordingIn('fr')).version)
    // As a version before made a further language the default one.
    await world
      .collection('mail_languages')
      .updateOne(
        { _id: 'languages' as never },
        { $set: { value: { default_language: 'fr', languages: [] }, version: version + 1 } },
      )
    await world
      .collection('mail_wordings')
      .updateOne(
        { _id: 'task_overdue' as never },
        { $set: { value: { ...german, text: 'Old {link}' }, updated_at: new Date(0) } },
      )
    const trainee = addTrainee()
    expect(await receive(trainee)).toContain('Bonjour')
    await world
      .collection('mail_wordings')
      .updateOne(
        { _id: 'task_overdue' as never },
        { $set: { value: { ...german, text: 'New {link}' }, updated_at: new Date(world.clock.now() + 1) } },
      )
    expect(await receive(trainee)).toContain('New')
  })

  test('a preview has the dates of its language, and broken placeholders are refused in each', async () => {
    await save(['ar', 'pt-BR'])
    const preview = (language: string, words: object) =>
      world.callAs(admin).post(`${wordings}/task_overdue/preview?language=${language}`, words)
    expect((await preview('pt-BR', german)).json.text).toContain('31 de janeiro de 2027')
    expect((await preview('ar', german)).json.html).toContain('<html lang="ar" dir="rtl">')
    for (const kind of mailKind.options) {
      const words = { ...german, subject: '{title}', text: '{name}: {message}\n\n{link}' }
      const answer = await world.callAs(admin).post(`${wordings}/${kind}/preview?language=ar`, words)
      expect(answer.status).toBe(200)
    }
    const broken = { ...german, text: 'Hallo\n{nmae} {link}' }
    const { version } = await wordingIn('ar')
    for (const refused of [await preview('ar', broken), await saveWords('ar', broken, version)])
      expect(refused.json.errors[0].message).toContain('line 2, column 1: “{nmae}” is not known here')
    expect((await wordingIn('ar')).version).toBe(version)
  })

  test.each([
    [['xx'], 'languages.0'],
    [['de_AT'], 'languages.0'],
    [['de-u-ca-buddhist'], 'languages.0'],
    [['pt-br'], 'languages.0'],
    [['de', 'de'], 'languages'],
    [['en'], 'languages'],
  ])('%j are refused, and change nothing', async (languages, field) => {
    const before = await read()
    const { status, json } = await save(languages)
    expect([status, json.errors?.[0]?.path]).toEqual([422, field])
    expect(await read()).toEqual(before)
  })

  test('are changed by one of two administrators, and by nobody else', async () => {
    const { version } = await read()
    const answers = await Promise.all([1, 2].map(() => save(['de'], { version })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const trainee = addTrainee()
    expect((await world.callAs(trainee).get(path)).status).toBe(403)
    expect((await world.callAs(trainee).get(`${wordings}?language=de`)).status).toBe(403)
    expect((await world.callAs(admin).get(`${wordings}?language=fr`)).status).toBe(404)
  })

  test('a person chooses one that exists; other choices stay, and earlier ones are still read', async () => {
    await save(['de'])
    const trainee = addTrainee()
    const choices = async () => (await world.callAs(trainee).get('/notifications/mail/choices')).json
    // As earlier versions stored it.
    await world.collection('mail_choices').insertOne({ _id: trainee.id as never, kinds: { task_assigned: true } })
    const before = await choices()
    expect(before).toMatchObject({ kinds: expect.arrayContaining(['task_assigned']), language: null, time_zone: null })
    for (const choice of [{ language: 'fr' }, { language: 'xx' }, { time_zone: 'Mars/Base' }]) {
      const refused = await choose(trainee, choice)
      expect([refused.status, refused.json.errors[0].path]).toEqual([422, Object.keys(choice)[0]])
    }
    expect(await choices()).toEqual(before)
    await Promise.all([choose(trainee, { language: 'de' }), choose(trainee, { time_zone: 'Pacific/Auckland' })])
    expect(await choices()).toEqual({ ...before, language: 'de', time_zone: 'Pacific/Auckland' })
    expect((await choose(trainee, { kinds: before.kinds })).status).toBe(200)
    expect((await choose(trainee, {})).status).toBe(200)
    await choose(trainee, { time_zone: null })
    expect(await choices()).toEqual({ ...before, language: 'de' })
    const lines = (await world.callAs(trainee).get('/notifications/record/data')).text.trim().split('\n')
    const parts = lines.map(line => JSON.parse(line) as { kind: string; data?: object })
    expect(parts.find(({ kind }) => kind === 'mail_choices')?.data).toMatchObject({
      ...{ language: 'de', task_assigned: true },
    })
  })

  test('a choice is gone after an erasure, and a mail of an earlier version is sent', async () => {
    await save(['de'])
    const [trainee, other] = [addTrainee(), addTrainee()]
    await choose(trainee, { language: 'de', time_zone: 'Pacific/Auckland' })
    await world.publish('user.erased', makeErasure(trainee))
    await eventually(async () =>
      expect(await world.collection('mail_choices').findOne({ _id: trainee.id as never })).toBeNull(),
    )
    await choose(other, { language: 'de' })
    const { version } = await wordingIn('de')
    await saveWords('de', german, version)
    await world.collection('mails').insertOne({
      ...{ _id: newId() as never, recipient_id: other.id, kind: 'task_overdue', state: 'waiting', attempts: 0 },
      facts: {
        ...{ kind: 'task_overdue', people: [], count: 1, happenings: 1, text: '31 January 2027 at 17:00' },
        playlist: { id: list, title: 'Safety first' },
      },
      task: { playlist_id: list, due_at: due.at },
      ...{ created_at: new Date(world.clock.now()), next_at: new Date(world.clock.now()) },
    })
    await untilState(other, 'sent')
    expect(decodeQuotedPrintable(receivedBy(other)[0]!.content)).toContain('war fällig am 31 January 2027 at 17:00.')
    await saveWords('de', null, version + 1)
  })
})
