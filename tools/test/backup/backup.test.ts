import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { topologyOf } from '@watchline/kit/messaging/rabbitmq/topology'
import { serverUrl } from '@watchline/testing/harness'
import { connect } from 'amqplib'
import mongoose from 'mongoose'
import { createBackup } from '../../src/backup/create.ts'
import { deriveKeys } from '../../src/backup/keys.ts'
import type { Verification } from '../../src/backup/manifest.ts'
import { checkBackup, restoreBackup } from '../../src/backup/restore.ts'
import { temporaryFolder } from '../_processes.ts'

const { Binary, Double, Int32, Long, ObjectId } = mongoose.mongo
const mongoUrl = serverUrl('MONGO_URL')
const log = () => {}
const prefix = `t${new ObjectId().toHexString().slice(-10)}`
const restoredPrefix = `${prefix}r`
let client: mongoose.mongo.MongoClient

beforeAll(async () => {
  client = await mongoose.mongo.MongoClient.connect(mongoUrl)
})
afterEach(async () => {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
  for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase()
})
afterAll(() => client.close())

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
const rows = (service: string, name: string, at = prefix) => client.db(`${at}-${service}`).collection<any>(name)
const keys = deriveKeys('a secret for backups in tests, 32+ letters')
const otherKeys = deriveKeys('another secret for backups in tests, 32+')
const signed = { keys, unsigned: false }
const backUp = (folder: string, encrypts = false, databasePrefix = prefix) =>
  createBackup({ mongoUrl, databasePrefix, folder, keys, encrypts, log })
const restore = (folder: string, replace = false, verification: Verification = signed) =>
  restoreBackup(folder, { mongoUrl, databasePrefix: restoredPrefix, replace, verification, log })
const rawOf = async (service: string, name: string, at: string) => {
  const found = await rows(service, name, at).find({}, { raw: true }).sort({ _id: 1 }).toArray()
  return found.map(document => Buffer.from(document as unknown as Uint8Array).toString('hex'))
}

/** A document with every kind of value, and with numbers that JavaScript cannot tell apart. */
const documentOfAllTypes = (index: number) => ({
  _id: `row-${index}`,
  whole: new Int32(1),
  fraction: new Double(1),
  long: Long.fromString('9007199254740993'),
  at: new Date(index),
  id: new ObjectId(),
  bytes: new Binary(Buffer.from([0, 1, 255])),
  list: [null, { deep: 'Grüße ✓' }],
  text: 'x'.repeat(index % 500),
})

describe('a backup', () => {
  test('is restored byte for byte, with its indexes', async () => {
    await rows('chat', 'rooms').insertMany(Array.from({ length: 2_500 }, (_, index) => documentOfAllTypes(index)))
    await rows('chat', 'rooms').createIndex({ at: 1 }, { expireAfterSeconds: 9e8, name: 'old_ones' })
    const filter = { at: { $gt: new Date(0) } }
    await rows('chat', 'rooms').createIndex({ at: -1 }, { partialFilterExpression: filter, name: 'of_dates' })
    await rows('auth', 'people').createIndex(
      { email: 1 },
      { unique: true, partialFilterExpression: { email: { $type: 'string' } } },
    )
    const series = { timeseries: { timeField: 'at', granularity: 'seconds' }, expireAfterSeconds: 9e6 } as const
    await client.db(`${prefix}-engagement`).createCollection('reports', series)
    await rows('engagement', 'reports').insertMany(
      [1, 2, 3].map(index => ({ ...documentOfAllTypes(index), at: new Date() })),
    )
    const folder = join(temporaryFolder(), 'backup')
    const { databases } = await backUp(folder)
    expect(databases.chat?.rooms?.documents).toBe(2_500)
    expect(databases.auth?.people?.documents).toBe(0)
    await restore(folder)
    // The fields of a time series have no order.
    const reports = (at: string) => rows('engagement', 'reports', at).find().sort({ _id: 1 }).toArray()
    expect(await reports(restoredPrefix)).toEqual(await reports(prefix))
    const describeReports = (at: string) =>
      client.db(`${at}-engagement`).command({ listCollections: 1, filter: { name: 'reports' } })
    const [before, after] = [await describeReports(prefix), await describeReports(restoredPrefix)].map(
      answer => answer.cursor.firstBatch[0],
    )
    expect([after.type, after.options]).toEqual(['timeseries', before.options])
    expect(await rawOf('chat', 'rooms', restoredPrefix)).toEqual(await rawOf('chat', 'rooms', prefix))
    for (const [service, name] of [
      ['chat', 'rooms'],
      ['auth', 'people'],
    ] as const)
      expect(await rows(service, name, restoredPrefix).indexes()).toEqual(await rows(service, name).indexes())
  })

  test('is one instant of all databases, although writes continue', async () => {
    await rows('auth', 'numbers').insertOne({ _id: 'n', value: 0 })
    await rows('chat', 'numbers').insertOne({ _id: 'n', value: 0 })
    await rows('auth', 'ballast').insertMany(Array.from({ length: 5_000 }, (_, index) => documentOfAllTypes(index)))
    let value = 0
    let running = true
    const writing = (async () => {
      while (running) {
        value += 1
        await client.withSession(session =>
          session.withTransaction(async () => {
            for (const service of ['auth', 'chat'])
              await rows(service, 'numbers').updateOne({ _id: 'n' }, { $set: { value } }, { session })
          }),
        )
      }
    })()
    let folder: string
    let before: number
    // Without writes during the backup the test would prove nothing, so a backup without them is
    // repeated.
    do {
      before = value
      folder = join(temporaryFolder(), 'backup')
      await backUp(folder)
    } while (value <= before + 1)
    running = false
    await writing
    await restore(folder)
    const numberOf = async (service: string) => (await rows(service, 'numbers', restoredPrefix).findOne())?.value
    expect(await numberOf('auth')).toBe(await numberOf('chat'))
  })

  test('restores published events as pending, because the broker no longer has them', async () => {
    const old = new Date(Date.now() - 30 * 24 * 3600_000)
    await rows('engagement', 'outbox').insertMany([
      { _id: 'published', seq: old, event: { id: 'published' }, published_at: old },
      { _id: 'waiting', seq: old, event: { id: 'waiting' }, pending: true, claimed_by: 'a relay', claimed_until: old },
    ])
    const folder = join(temporaryFolder(), 'backup')
    await backUp(folder)
    await restore(folder)
    expect(await rows('engagement', 'outbox', restoredPrefix).find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 'published', seq: old, event: { id: 'published' }, pending: true },
      { _id: 'waiting', seq: old, event: { id: 'waiting' }, pending: true },
    ])
  })

  test('restores the ids of consumed events as new, so that they expire after the events are repeated', async () => {
    const old = new Date(Date.now() - 59 * 24 * 3600_000)
    await rows('chat', 'consumed_events').insertOne({ _id: 'event', at: old })
    const folder = join(temporaryFolder(), 'backup')
    await backUp(folder)
    const begun = new Date()
    await restore(folder)
    const row = await rows('chat', 'consumed_events', restoredPrefix).findOne()
    expect(row).toEqual({ _id: 'event', at: expect.any(Date) })
    expect(row.at.getTime()).toBeGreaterThanOrEqual(begun.getTime())
  })

  describe('while a service consumes events again', () => {
    const exchange = `${prefix}x`
    const queue = topologyOf(exchange).queue('chat')
    let connection: Awaited<ReturnType<typeof connect>>
    beforeEach(async () => {
      connection = await connect(serverUrl('AMQP_URL'))
    })
    afterEach(() => connection.close())

    test.each([
      ['before it deletes anything, is not restored', /1 changes of rights/, ['newer']],
      ['during the restore, is not complete', /all login sessions are ended/, ['one']],
    ])('%s', async (_, moment, expected) => {
      await rows('auth', 'audit').insertOne({ action: 'exported', at: new Date(0), subject: null, after: {} })
      await rows('auth', 'people').insertOne({ _id: 'one' })
      const folder = join(temporaryFolder(), 'backup')
      await backUp(folder)
      await rows('auth', 'people', restoredPrefix).insertOne({ _id: 'newer' })
      const later = { action: 'deactivated', at: new Date(Date.now() + 3_600_000), subject: null, after: {} }
      await rows('auth', 'audit', restoredPrefix).insertOne(later)
      const channel = await connection.createChannel()
      await channel.assertQueue(queue, { autoDelete: true })
      const failing = restoreBackup(folder, {
        ...{ mongoUrl, databasePrefix: restoredPrefix, replace: true, verification: signed },
        amqp: { url: serverUrl('AMQP_URL'), exchange },
        log: line => {
          if (moment.test(line)) void channel.consume(queue, () => {})
        },
      })
      await expect(failing).rejects.toThrow('The chat service is still running')
      const people = await rows('auth', 'people', restoredPrefix).find().toArray()
      expect(people.map(({ _id }) => _id)).toEqual(expected)
    })
  })

  describe('when it is restored', () => {
    const [past, future] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)]

    test('leaves nobody signed in, and no open sign-in or invitation', async () => {
      const begun = new Date()
      const fields = { person_id: 'one', expires_at: future }
      const tokens = { provider_token: 'sealed', provider_token_key: 'k', provider_check_at: past, id_token: 'sealed' }
      await rows('auth', 'sessions').insertMany([
        { _id: 'open', ...fields, ...tokens, used_at: past, ended_at: null },
        { _id: 'ended', ...fields, ended_at: past },
      ])
      for (const name of ['sign_in_codes', 'password_confirmations', 'admin_invitations'])
        await rows('auth', name).insertOne({ _id: 'open', ...fields })
      await rows('auth', 'sign_in_codes').createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 })
      await rows('chat', 'sessions').insertOne({ _id: 'another service', ended_at: null })
      const folder = join(temporaryFolder(), 'backup')
      await backUp(folder)
      await restore(folder)
      const [ended, open] = await rows('auth', 'sessions', restoredPrefix).find().sort({ _id: 1 }).toArray()
      expect(ended).toEqual({ _id: 'ended', ...fields, ended_at: past })
      expect(open).toEqual({ _id: 'open', ...fields, used_at: past, ended_at: expect.any(Date) })
      expect(open.ended_at.getTime()).toBeGreaterThanOrEqual(begun.getTime())
      for (const name of ['sign_in_codes', 'password_confirmations', 'admin_invitations'])
        expect(await rows('auth', name, restoredPrefix).countDocuments()).toBe(0)
      expect(await rows('auth', 'sign_in_codes', restoredPrefix).indexes()).toHaveLength(2)
      expect(await rows('chat', 'sessions', restoredPrefix).findOne()).toMatchObject({ ended_at: null })
    })

    test('is written into the audit log with what it replaced, also if a first attempt failed half-way', async () => {
      await rows('auth', 'audit').insertOne({ action: 'deactivated', at: past, subject: null, after: {} })
      const folder = join(temporaryFolder(), 'backup')
      await backUp(folder)
      await restore(folder)
      const head = { seq: 900, hash: 'of the last entry before the restore' }
      await rows('auth', 'audit_chain', restoredPrefix).insertOne({ _id: 'head', ...head })
      const failing = restoreBackup(folder, {
        ...{ mongoUrl, databasePrefix: restoredPrefix, replace: true, verification: signed },
        log: line => {
          if (/^auth: \d/.test(line)) throw new Error('half-way')
        },
      })
      await expect(failing).rejects.toThrow('half-way')
      await restore(folder, true)
      const audit = rows('auth', 'audit', restoredPrefix)
      expect(await audit.find({ action: 'restored' }).toArray()).toMatchObject([
        { actor: 'operator', by: null, after: { replaced_seq: head.seq, replaced_hash: head.hash } },
      ])
      expect(await rows('auth', 'unfinished_restore', restoredPrefix).countDocuments()).toBe(0)
    })

    test('lists the changes of rights that it undoes, or says that nobody knows them', async () => {
      const subject = (id: string) => ({ id, name: `Person ${id}`, email: `${id}@example.org` })
      const entry = (id: string, action: string, at: Date, after = {}) => ({ action, at, subject: subject(id), after })
      await rows('auth', 'audit').insertOne(entry('before', 'deactivated', past))
      const folder = join(temporaryFolder(), 'backup')
      await backUp(folder)
      const listed = async () => {
        const lines: string[] = []
        await restoreBackup(folder, {
          ...{ mongoUrl, databasePrefix: restoredPrefix, replace: true, verification: signed },
          log: line => lines.push(line),
        })
        return lines.join('\n')
      }
      expect(await listed()).toContain('nobody knows all that was changed')
      expect(await listed()).not.toContain('CHECK')
      await rows('auth', 'audit', restoredPrefix).insertMany([
        entry('later', 'admin_removed', future, { role: 'user' }),
        entry('deactivated', 'deactivated', new Date()),
        entry('unimportant', 'exported', new Date()),
        entry('requested', 'request_approved', future, { status: 'approved', manager_id: 'm', manager_name: 'Ada' }),
        entry('moved', 'supervisor_changed', future, { supervisor_id: null, supervisor_name: null }),
        entry('placed', 'manager_changed', future, { manager_id: 'm', manager_name: 'Ada' }),
        {
          ...{ action: 'claim_rules_changed', at: future, subject: null },
          after: { rules: 2, added: 'groups = a: user', removed: null },
        },
      ])
      const text = await listed()
      expect(text).toContain('6 changes of rights are undone')
      expect(text).toMatch(/request_approved: .* requested; status: approved, manager_id: m, manager_name: Ada$/m)
      expect(text).toMatch(/supervisor_changed: .* moved; supervisor_id: none, supervisor_name: none$/m)
      expect(text).toMatch(/manager_changed: .* placed; manager_id: m, manager_name: Ada$/m)
      expect(text).toMatch(/claim_rules_changed: rules: 2, added: groups = a: user, removed: none$/m)
      expect(text).toMatch(/deactivated: Person deactivated <deactivated@example\.org> deactivated\n/)
      expect(text).toMatch(/admin_removed to user: Person later <later@example\.org> later\n/)
      expect(text).not.toMatch(/Person (before|unimportant)/)
      // This audit log begins after the backup, as that of an installation started after a loss.
      await rows('auth', 'audit', restoredPrefix).deleteMany({})
      await rows('auth', 'audit', restoredPrefix).insertOne(entry('later', 'claim_rules_changed', future))
      const incomplete = await listed()
      expect(incomplete).toContain('nobody knows all that was changed')
      expect(incomplete).toContain('1 changes of rights are undone')
    })
  })

  test('appears when it is complete, only its owner can read it, and it is never overwritten', async () => {
    await rows('auth', 'people').insertOne({ _id: 'one' })
    const parent = temporaryFolder()
    const folder = join(parent, 'backup')
    await expect(backUp(folder, false, `${prefix}x`)).rejects.toThrow('no databases')
    expect(readdirSync(parent)).toEqual([])
    await backUp(folder)
    expect(readdirSync(parent)).toEqual(['backup', 'erasures.json'])
    await expect(backUp(folder)).rejects.toThrow('exists already')
    const { mode } = (await import('node:fs')).statSync(join(folder, 'auth/people.bson.gz'))
    expect(mode & 0o077).toBe(0)
  })

  test('that is damaged restores nothing', async () => {
    await rows('auth', 'people').insertOne({ _id: 'one' })
    const folder = join(temporaryFolder(), 'backup')
    await backUp(folder)
    const file = join(folder, 'auth/people.bson.gz')
    const whole = readFileSync(file)
    writeFileSync(file, whole.subarray(0, -1))
    await expect(restore(folder)).rejects.toThrow('differs from its manifest')
    expect(await rows('auth', 'people', restoredPrefix).countDocuments()).toBe(0)
    writeFileSync(file, whole)
    await expect(checkBackup(folder, signed)).resolves.toMatchObject({ format: 1 })
    appendFileSync(join(folder, 'manifest.json'), ' ')
    await expect(checkBackup(join(folder, 'auth'), signed)).rejects.toThrow('holds no backup')
    expect(existsSync(join(folder, 'manifest.json'))).toBe(true)
  })

  test('that somebody changed restores nothing, also if its checksums were changed to fit', async () => {
    await rows('auth', 'people').insertOne({ _id: 'one', role: 'user' })
    const folder = join(temporaryFolder(), 'backup')
    await backUp(folder)
    const manifest = join(folder, 'manifest.json')
    const file = join(folder, 'auth/people.bson.gz')
    const forged = gzipSync(mongoose.mongo.BSON.serialize({ _id: 'one', role: 'director' }))
    const checksum = createHash('sha256').update(readFileSync(file)).digest('hex')
    const text = readFileSync(manifest, 'utf8')
    writeFileSync(file, forged)
    writeFileSync(manifest, text.replace(checksum, createHash('sha256').update(forged).digest('hex')))
    await expect(restore(folder)).rejects.toThrow(`${manifest} differs from its signature`)
    writeFileSync(manifest, text)
    await expect(restore(folder)).rejects.toThrow(`${file} differs from its manifest`)
    rmSync(file)
    await expect(restore(folder)).rejects.toThrow(`${file} is missing`)
    expect(await rows('auth', 'people', restoredPrefix).countDocuments()).toBe(0)
  })

  test('needs its key; one without a signature needs --unsigned', async () => {
    await rows('auth', 'people').insertOne({ _id: 'one' })
    const folder = join(temporaryFolder(), 'backup')
    await backUp(folder)
    await expect(restore(folder, false, { keys: otherKeys, unsigned: false })).rejects.toThrow('made with another key')
    await expect(restore(folder, false, { keys: undefined, unsigned: false })).rejects.toThrow('BACKUP_KEY_FILE')
    rmSync(join(folder, 'manifest.sig'))
    await expect(restore(folder)).rejects.toThrow('add --unsigned')
    await restore(folder, false, { keys: undefined, unsigned: true })
    expect(await rows('auth', 'people', restoredPrefix).find().toArray()).toEqual([{ _id: 'one' }])
  })

  test('can be encrypted: nothing of the data is readable, and only its key restores it', async () => {
    const people = Array.from({ length: 3_000 }, (_, index) => documentOfAllTypes(index))
    await rows('auth', 'people').insertMany(people)
    await rows('chat', 'rooms').insertOne({ _id: 'empty' })
    await rows('chat', 'rooms').deleteMany({})
    const folder = join(temporaryFolder(), 'backup')
    expect(await backUp(folder, true)).toMatchObject({ format: 2 })
    expect(readdirSync(join(folder, 'auth'))).toEqual(['people.bson.gz.aes'])
    expect(() => gunzipSync(readFileSync(join(folder, 'auth/people.bson.gz.aes')))).toThrow('incorrect header')
    for (const wrong of [undefined, otherKeys])
      await expect(restore(folder, false, { keys: wrong, unsigned: true })).rejects.toThrow(
        /is encrypted|encrypted with another key/,
      )
    expect(await rows('auth', 'people', restoredPrefix).countDocuments()).toBe(0)
    await restore(folder)
    expect(await rawOf('auth', 'people', restoredPrefix)).toEqual(await rawOf('auth', 'people', prefix))
    expect(await rows('chat', 'rooms', restoredPrefix).countDocuments()).toBe(0)
  })

  describe('has a list of erasures beside it', () => {
    const receiptOf = (id: string) => ({ _id: id, erasure_id: `erasure-${id}`, erased_at: new Date(0), services: {} })
    const storedReceipts = () => rows('auth', 'erasure_receipts', restoredPrefix).find().sort({ _id: 1 }).toArray()

    /** Two people are erased after the first backup, and a later backup lists them. */
    async function backUpAroundErasures() {
      const place = temporaryFolder()
      const [folder, file] = [join(place, 'backup'), join(place, 'erasures.json')]
      await rows('auth', 'people').insertOne({ _id: 'one' })
      await backUp(folder)
      await rows('auth', 'erasure_receipts').insertMany([receiptOf('one'), receiptOf('two')])
      await backUp(join(place, 'later'))
      return { folder, file, text: readFileSync(file, 'utf8') }
    }

    test('and a restore repeats the listed erasures', async () => {
      const { folder } = await backUpAroundErasures()
      await restore(folder)
      expect(await storedReceipts()).toMatchObject([
        { _id: 'one', repeat: true, erased_at: new Date(0) },
        { _id: 'two', repeat: true },
      ])
    })

    test('and a list with an added, a removed or a changed erasure restores nothing', async () => {
      const { folder, file, text } = await backUpAroundErasures()
      const content = JSON.parse(text)
      const forgeries = [
        [...content.receipts, { ...content.receipts[0], _id: 'alive', erasure_id: 'forged' }],
        content.receipts.slice(1),
        [{ ...content.receipts[0], _id: 'alive' }, content.receipts[1]],
        [],
      ]
      for (const receipts of forgeries) {
        writeFileSync(file, JSON.stringify({ ...content, receipts }))
        await expect(restore(folder)).rejects.toThrow(`${file} differs from its signature`)
      }
      writeFileSync(file, JSON.stringify(content.receipts))
      await expect(restore(folder)).rejects.toThrow(`${file} has no signature`)
      writeFileSync(file, '{')
      await expect(restore(folder)).rejects.toThrow(`${file} is not a list of erasures`)
      rmSync(file)
      await expect(restore(folder)).rejects.toThrow(`${file} is missing`)
      expect(await rows('auth', 'people', restoredPrefix).countDocuments()).toBe(0)
    })

    test('and --unsigned accepts the list of an earlier version', async () => {
      const { folder, file, text } = await backUpAroundErasures()
      const [first] = JSON.parse(text).receipts
      writeFileSync(file, JSON.stringify([first]))
      await restore(folder, false, { keys, unsigned: true })
      expect(await storedReceipts()).toMatchObject([{ _id: 'one', repeat: true }])
    })

    test('and a restore with --unsigned adds to the list, but signs nothing of it', async () => {
      const { folder, file, text } = await backUpAroundErasures()
      const content = JSON.parse(text)
      const forged = { ...content.receipts[0], _id: 'alive', erasure_id: 'forged' }
      writeFileSync(file, JSON.stringify({ ...content, receipts: [forged] }))
      await rows('auth', 'erasure_receipts', restoredPrefix).insertOne(receiptOf('three'))
      await restore(folder, true, { keys, unsigned: true })
      const listed = JSON.parse(readFileSync(file, 'utf8'))
      expect(listed.map(({ _id }: { _id: string }) => _id)).toEqual(['alive', 'three'])
      await expect(restore(folder, true)).rejects.toThrow(`${file} has no signature`)
    })

    test('and a restore that compares signatures signs the list to which it adds', async () => {
      const { folder, file } = await backUpAroundErasures()
      await rows('auth', 'erasure_receipts', restoredPrefix).insertOne(receiptOf('three'))
      await restore(folder, true)
      expect(JSON.parse(readFileSync(file, 'utf8')).receipts).toHaveLength(3)
      await restore(folder, true)
      expect((await storedReceipts()).map(({ _id }) => _id)).toEqual(['one', 'three', 'two'])
    })

    test('and a new backup never signs erasures of a list that it cannot verify', async () => {
      const { folder, file, text } = await backUpAroundErasures()
      const content = JSON.parse(text)
      const forged = JSON.stringify([{ ...content.receipts[0], _id: 'alive', erasure_id: 'forged' }])
      writeFileSync(file, forged)
      await backUp(join(dirname(folder), 'newest'))
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(content)
      const [aside] = readdirSync(dirname(folder)).filter(name => name.startsWith('erasures.json.unverified-'))
      expect(readFileSync(join(dirname(folder), aside!), 'utf8')).toBe(forged)
    })
  })

  test('replaces existing data only with --replace', async () => {
    await rows('auth', 'people').insertOne({ _id: 'one' })
    const folder = join(temporaryFolder(), 'backup')
    await backUp(folder)
    await rows('auth', 'people', restoredPrefix).insertOne({ _id: 'newer' })
    await rows('chat', 'rooms', restoredPrefix).insertOne({ _id: 'newer' })
    await expect(restore(folder)).rejects.toThrow('Add --replace')
    await restore(folder, true)
    expect(await rows('auth', 'people', restoredPrefix).find().toArray()).toEqual([{ _id: 'one' }])
    expect(await rows('chat', 'rooms', restoredPrefix).countDocuments()).toBe(0)
  })
})
