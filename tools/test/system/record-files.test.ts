import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Conditions, changeConditions, conditionsOf } from '@watchline/contracts/conditions'
import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { RecordedTask } from '@watchline/contracts/records'
import fc from 'fast-check'
import {
  callAs,
  createEngagementWorld,
  createLock,
  createPeople,
  type EngagementWorld,
  iso,
  type PeopleByName,
  play,
} from '../../../services/engagement/test/_util.ts'
import { findOrInstall, provisionPdftotext } from '../../src/provision/system-packages.ts'

/** `RECORD_HISTORIES=100` tries more. */
const histories = Number(process.env.RECORD_HISTORIES ?? 4)
const docs = fileURLToPath(new URL('../../../docs/', import.meta.url))

/**
 * The output of a program. Waiting for it must not block this process, which is the server, too.
 */
const run = async (program: string, ...parameters: string[]) => (await promisify(execFile)(program, parameters)).stdout

let world: EngagementWorld
let url: string
let people: PeopleByName
let folder: string
/** Those who lived through a history. */
const lived: PersonSnapshot[] = []

beforeAll(async () => {
  await provisionPdftotext(console.log)
  for (const program of ['jq', 'openssl', 'python3']) await findOrInstall(program, program, console.log)
  world = await createEngagementWorld()
  people = createPeople(world)
  url = (await world.start()).url
  folder = mkdtempSync(join(tmpdir(), 'records-'))
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('watch' as const),
      playlist: fc.nat(2),
      video: fc.nat(2),
      from: fc.double({ min: 0, max: 0.8, noNaN: true }),
      share: fc.double({ min: 0.05, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom(...(['reset', 'mark_done', 'exempt', 'take_back', 'recur'] as const)),
      playlist: fc.nat(2),
    }),
  },
)
const terms = fc.record({
  grace_days: fc.constantFrom(0, 1, 7, 30),
  required_percent: fc.constantFrom(limits.completedRate, limits.requiredPercentMin, 95, 100),
  max_rate: fc.constantFrom(null, 1, 1.25),
  attention_checks: fc.boolean(),
  allow_skipping: fc.constantFrom(true, true, false),
})
const history = fc.record({
  name: fc.constantFrom('Łucja Ñandú', 'Ελένη Παπαδοπούλου', 'Мария Иванова', 'Anna "Comma", Quote'),
  durations: fc.array(fc.array(fc.double({ min: 8, max: 60, noNaN: true }), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  }),
  terms: fc.array(terms, { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { minLength: 3, maxLength: 9 }),
})

type History = typeof history extends fc.Arbitrary<infer T> ? T : never

/** Certain to contain earlier attempts of a reset and of an occurrence, and each condition. */
const restarted: History = {
  name: 'Мария Иванова',
  durations: [[30.5, 20]],
  terms: [{ grace_days: 7, required_percent: 95, max_rate: 1.25, attention_checks: true, allow_skipping: false }],
  steps: [
    { kind: 'watch', playlist: 0, video: 0, from: 0, share: 1 },
    { kind: 'reset', playlist: 0 },
    { kind: 'watch', playlist: 0, video: 0, from: 0, share: 0.9 },
    { kind: 'recur', playlist: 0 },
    { kind: 'watch', playlist: 0, video: 0, from: 0, share: 0.7 },
  ],
}

const dayMs = 24 * 3600_000
const dueOf = (at: number) => ({ at: iso(at), local: iso(at).slice(0, 16), time_zone: 'UTC' })

/** A person who lives through the history, as players and playback-session would report it. */
async function live({ name, durations, terms: termsOfPlaylists, steps }: History) {
  const person = world.addPerson('user', { name, supervisor_id: people.supervisor.id })
  const playlists = []
  const presentTerms = new Map<string, { due: ReturnType<typeof dueOf>; conditions: Conditions | null }>()
  for (const [index, lengths] of durations.entries()) {
    const rounded = lengths.map(length => Math.round(length * 10) / 10)
    const playlist = world.playlist(rounded, { title: `Course ${index}, “part” ${index + 1}` })
    world.assign(playlist, person)
    await world.publish('playlist.created', playlist)
    const { playlist_id, title } = playlist
    const assignment = { playlist_id, title, by: people.supervisor.id, assigned: [person.id] }
    const due = dueOf(world.clock.now() + dayMs)
    const conditions = changeConditions(null, termsOfPlaylists[index % termsOfPlaylists.length], true)
    presentTerms.set(playlist_id, { due, conditions })
    const assigned_date = iso(world.clock.now())
    await world.publish('playlist.assigned', { ...assignment, assigned_date, due, conditions })
    playlists.push(playlist)
  }
  for (const event of steps) {
    const { playlist_id, title, videos } = playlists[event.playlist % playlists.length]!
    world.clock.advance(60_000)
    if (event.kind === 'recur') {
      const { due: previous_due, conditions } = presentTerms.get(playlist_id)!
      const due = dueOf(Date.parse(previous_due.at) + 30 * dayMs)
      presentTerms.set(playlist_id, { due, conditions })
      await world.publish('assignment.recurred', {
        ...{ playlist_id, title, people: [person.id], due, previous_due, skipped: [], conditions },
        recurrence: { interval: 1, unit: 'month', from: 'due_date', opens_days_before: 7, first_due: due.local },
        recurred_at: iso(world.clock.now()),
      })
      continue
    }
    if (event.kind !== 'watch') {
      const { kind: action } = event
      const exception = { playlist_id, title, by: people.manager.id, changed: [person.id], action }
      await world.publish('assignment.overridden', {
        ...{ ...exception, reason: 'Away,\nfor long', changed_at: iso(world.clock.now()) },
      })
      continue
    }
    const { id: videoId, duration } = videos[event.video % videos.length]!
    const from = event.from * duration
    const lock = createLock(world, person.id, playlist_id)
    await lock.acquire()
    const send = (body: Record<string, unknown>) => callAs(world, url, person).post('/engagement/track', body)
    await play(world, send, playlist_id, { videoId, from, to: from + event.share * (duration - from) }, lock.renew)
    await lock.release()
  }
  return person
}

async function download(person: PersonSnapshot, path: string, file: string) {
  const answer = await fetch(`${url}/api${path}`, { headers: { authorization: `Bearer ${world.token(person)}` } })
  expect(answer.status).toBe(200)
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()))
}

/** Issues a record, and saves it as an auditor gets it. */
async function saveRecord(person: PersonSnapshot, target: string, period: { from?: string } = {}) {
  mkdirSync(target)
  const { code } = (await callAs(world, url, person).post(`/records/people/${person.id}/issued`, period)).json
  for (const type of ['json', 'pdf'])
    await download(person, `/records/issued/${code}/${type}`, join(target, `record.${type}`))
  // The other figures are those of all times.
  if (period.from) return
  await download(person, '/engagement/record/export', join(target, 'record.csv'))
  await download(person, '/engagement/record', join(target, 'page.json'))
}

/** Into the folder of each record. */
async function saveKeysAndChain(targets: readonly string[]) {
  for (const [path, name] of [
    ['/records/keys', 'keys.json'],
    ['/records/chain', 'chain.jsonl'],
  ] as const) {
    await download(people.admin, path, join(folder, name))
    for (const target of targets) cpSync(join(folder, name), join(target, name))
  }
}

/** Runs the script without anything of Watchline. */
async function check(target: string): Promise<{ ok: boolean; output: string }> {
  try {
    const stdout = await run('python3', join(docs, 'check-record.py'), target)
    return { ok: true, output: stdout }
  } catch (error) {
    return { ok: false, output: String((error as { stderr: string }).stderr) }
  }
}

test('the ranges of generated histories add up to the same in JSON, PDF, CSV and page, and the signatures hold', async () => {
  const targets: string[] = []
  const generated = fc.sample(history, { numRuns: histories - 1, seed: 21 })
  for (const [index, steps] of [restarted, ...generated].entries()) {
    const person = await live(steps)
    lived.push(person)
    targets.push(join(folder, String(index)))
    await saveRecord(person, targets[index]!)
  }
  await saveKeysAndChain(targets)
  for (const target of targets)
    expect(await check(target)).toEqual({ ok: true, output: expect.stringContaining('is genuine') })
})

test('the credit of a period with its earlier attempts is the same in JSON and PDF', async () => {
  const target = join(folder, 'period')
  await saveRecord(lived[0]!, target, { from: iso(world.clock.now() - 2 * dayMs).slice(0, 10) })
  await saveKeysAndChain([target])
  const { record } = JSON.parse(readFileSync(join(target, 'record.json'), 'utf8'))
  const { credited_in_period, all_attempts } = record.totals
  expect(all_attempts.credited_in_period).toBeGreaterThan(credited_in_period)
  expect(await check(target)).toEqual({ ok: true, output: expect.stringContaining('is genuine') })
  const text = await run('pdftotext', '-layout', join(target, 'record.pdf'), '-')
  expect(text.match(/Credited then, in the period: /g)).toHaveLength(2)
  expect(text).toMatch(/Present occurrence: open since .+, due .+/)
  // The file of everything has other figures in its PDF.
  cpSync(join(folder, '0', 'record.pdf'), join(target, 'record.pdf'))
  expect((await check(target)).output).toContain('of the PDF')
})

test('the commands of the documentation accept a record and its chain', async () => {
  const target = join(folder, 'commands')
  cpSync(join(folder, '0'), target, { recursive: true })
  expect(runDocumentedCommands(target)).toEqual([['Signature Verified Successfully'], [], [], []])
})

test('a changed character, a changed PDF and a removed seal are found', async () => {
  const target = join(folder, 'changed')
  cpSync(join(folder, '0'), target, { recursive: true })
  const file = join(target, 'record.json')
  const text = readFileSync(file, 'utf8')
  const places = [...text.matchAll(/[0-9A-Za-z](?=[^\n]*\n)/g)].map(({ index }) => index)
  for (const place of fc.sample(fc.constantFrom(...places), { numRuns: 12, seed: 7 })) {
    const changed = text.slice(0, place) + (text[place] === '7' ? '8' : '7') + text.slice(place + 1)
    writeFileSync(file, changed)
    expect([place, (await check(target)).ok]).toEqual([place, false])
    const answer = await callAs(world, url, people.trainee1).post('/records/verify', { document: changed })
    expect([place, answer.json.status]).not.toEqual([place, 'valid'])
  }
  const record = JSON.parse(text)
  record.record.totals.credited_seconds += 1
  writeFileSync(file, JSON.stringify(record))
  expect(runDocumentedCommands(target)[1]).not.toEqual([])

  writeFileSync(file, text)
  cpSync(join(folder, '1', 'record.pdf'), join(target, 'record.pdf'))
  expect((await check(target)).output).toContain('of the PDF differs')
  cpSync(join(folder, '0', 'record.pdf'), join(target, 'record.pdf'))
  const chain = readFileSync(join(target, 'chain.jsonl'), 'utf8').split('\n')
  writeFileSync(join(target, 'chain.jsonl'), [chain[0], ...chain.slice(2)].join('\n'))
  expect((await check(target)).output).toContain('the chain is broken')
})

test('a PDF tells screen readers its language, title, headings and lists, and shows names of many languages', async () => {
  for (let index = 0; index < histories; index += 1) {
    const pdf = join(folder, String(index), 'record.pdf')
    const { people: named } = JSON.parse(readFileSync(join(folder, String(index), 'record.json'), 'utf8'))
    const text = await run('pdftotext', '-layout', pdf, '-')
    expect(text).toContain(named[0].name)
    const details = await run('pdfinfo', pdf)
    expect(details).toMatch(/^Tagged: +yes$/m)
    expect(await run('pdfinfo', '-meta', pdf)).toContain('<pdfuaid:part>1</pdfuaid:part>')
    expect(details).toContain(`Training record of ${named[0].name}`)
    expect(readFileSync(pdf, 'latin1')).toMatch(/\/Lang \(en\)/)
    const structure = await run('pdfinfo', '-struct', pdf)
    for (const tag of ['Document', 'H1', 'H2', 'H3', 'P', 'L', 'LI', 'LBody'])
      expect(structure).toMatch(new RegExp(`^ *${tag}\\b`, 'm'))
  }
})

test('the record of a group adds up to those of its members, and is checked in the same ways', async () => {
  const members = [...lived, people.manager].map(({ id }) => id)
  world.owners.groups.set('course', { name: 'The “course”', members, viewers: [people.director.id] })
  const target = join(folder, 'group')
  mkdirSync(target)
  const { code } = (await callAs(world, url, people.director).post('/records/groups/course/issued', {})).json
  for (const type of ['json', 'pdf'])
    await download(people.director, `/records/issued/${code}/${type}`, join(target, `record.${type}`))
  await saveKeysAndChain([target])
  expect(await check(target)).toEqual({ ok: true, output: expect.stringContaining('is genuine') })
  expect(runDocumentedCommands(target)).toEqual([['Signature Verified Successfully'], [], [], []])
  const { record } = JSON.parse(readFileSync(join(target, 'record.json'), 'utf8'))
  const totals = lived.map((_, index) => {
    const file = JSON.parse(readFileSync(join(folder, String(index), 'record.json'), 'utf8'))
    return Math.round(file.record.totals.credited_seconds * 100)
  })
  expect(Math.round(record.totals.credited_seconds * 100)).toBe(totals.reduce((sum, total) => sum + total, 0))

  const pages = await run('pdftotext', '-layout', join(target, 'record.pdf'), '-')
  const text = pages.replace(/\s+/g, ' ')
  expect(text).toContain('Training record of the group “The “course””')
  expect(text).toContain(`${members.length} members. 1 of them is left out`)
  for (const { name } of lived) expect(text).toContain(name)
  cpSync(join(folder, '0', 'record.pdf'), join(target, 'record.pdf'))
  expect((await check(target)).output).toContain('of the PDF differs')
})

test('grace, percentage, speed, attention checks and skipping of each task are the same in JSON, PDF and page', async () => {
  const [first] = (await readConditions(join(folder, '0'))).printed
  expect(first).toBe(
    ', 95% needed, can be finished up to 7 days late, counts up to 1.25× speed, with attention checks, no skipping ahead',
  )
  for (let index = 0; index < histories; index += 1) {
    const { recorded, printed, shown } = await readConditions(join(folder, String(index)))
    expect(shown).toEqual(recorded)
    expect(printed).toEqual(
      recorded.map(({ grace_days, required_percent, max_rate, attention_checks, allow_skipping }) =>
        [
          required_percent === 90 ? '' : `, ${required_percent}% needed`,
          grace_days === 0 ? '' : `, can be finished up to ${grace_days} day${grace_days === 1 ? '' : 's'} late`,
          max_rate === null ? '' : `, counts up to ${max_rate}× speed`,
          attention_checks ? ', with attention checks' : '',
          allow_skipping ? '' : ', no skipping ahead',
        ].join(''),
      ),
    )
  }
})

/**
 * The conditions of each task, in the order of the record. The PDF prints them after the due date.
 */
async function readConditions(target: string) {
  const { tasks }: { tasks: RecordedTask[] } = JSON.parse(readFileSync(join(target, 'record.json'), 'utf8')).record
  const page: PlaylistWatch[] = JSON.parse(readFileSync(join(target, 'page.json'), 'utf8')).playlists
  const text = await run('pdftotext', '-layout', join(target, 'record.pdf'), '-')
  const assignments = text
    .replace(/^.*Watchline · number .*$/gm, '')
    .replace(/\s+/g, ' ')
    .matchAll(
      /Assigned on [^:]+:[^,]+? by .+?, due .+? UTC(.*?) (?=Completed|Not|Done|Exempted|Marked|Started|Exception|Occurrence)/g,
    )
  return {
    recorded: tasks.map(task => conditionsOf(task.assignments[0]!.conditions)),
    shown: tasks.map(({ playlist_id }) =>
      conditionsOf(page.find(shown => shown.playlist_id === playlist_id)!.conditions),
    ),
    printed: [...assignments].map(([, printed]) => printed!),
  }
}

/**
 * The output of each block of commands in the documentation, but that of the first, which only
 * fetches a file.
 */
function runDocumentedCommands(cwd: string): string[][] {
  cpSync(join(cwd, 'chain.jsonl'), join(cwd, 'record-chain.jsonl'))
  const page = readFileSync(join(docs, 'records.md'), 'utf8')
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands]) => commands!)
  return blocks.slice(1).map(commands => {
    try {
      return execFileSync('sh', ['-c', commands], { cwd, encoding: 'utf8' }).split('\n').filter(Boolean)
    } catch (error) {
      return [`failed: ${(error as { stdout: string }).stdout}`]
    }
  })
}
