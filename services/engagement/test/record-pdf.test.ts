import { inflateSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import type { RecordedAssignment, RecordedReason, RecordedVideo } from '@watchline/contracts/records'
import { renderPdf } from '../src/actions/render-pdf.ts'
import { type Block, type DescribedDocument, describeDocument } from '../src/rules/record/document-blocks.ts'

const boxNote = 'The font of this file lacks some characters'
const heading = (text: string): Block => ({ kind: 'heading', level: 1, text })
const paragraph = (text: string): Block => ({ kind: 'paragraph', text })

/** The file with its compressed streams inflated, one character a byte. */
async function render(blocks: Block[], title = 'A title'): Promise<string> {
  const details = { title, footer: 'number 1', issuedAt: new Date(0), look: 'record' } as const
  const chunks: Uint8Array[] = []
  for await (const chunk of renderPdf(blocks, details)) chunks.push(chunk)
  return Buffer.concat(chunks)
    .toString('latin1')
    .replace(/(\/FlateDecode.*?\nstream\n)(.*?)(?=\nendstream)/gs, (_, head: string, data: string) =>
      [head, inflateSync(Buffer.from(data, 'latin1')).toString('latin1')].join(''),
    )
}

/** The glyphs of the pages, as numbers of four digits. */
function glyphsOf(pdf: string): string[] {
  const shown = [...pdf.matchAll(/\[(<.*)\] TJ/g)].flatMap(([, strings]) => [...strings!.matchAll(/<([0-9a-f]+)>/g)])
  return shown.flatMap(([, digits]) => digits!.match(/.{4}/g)!)
}

/** The characters of the glyphs of each line, from left to right. The PDF has one font. */
function drawnLines(pdf: string): string[] {
  const [, map] = /beginbfrange\n<0000> <[0-9a-f]+> \[(.*)\]/.exec(pdf)!
  const characters = map!
    .match(/<[^>]*>/g)!
    .map(code => Buffer.from(code.replace(/\W/g, ''), 'hex').swap16().toString('utf16le'))
  return [...pdf.matchAll(/^BT$.*?^ET$/gms)].map(([line]) =>
    glyphsOf(line)
      .map(glyph => characters[Number.parseInt(glyph, 16)])
      .join(''),
  )
}

/** The texts for screen readers instead of glyphs. */
function spokenTexts(pdf: string): string[] {
  return [...pdf.matchAll(/\/ActualText \(\xfe\xff(.*?)(?<!\\)\)/gs)].map(([, bytes]) =>
    Buffer.from(bytes!.replace(/\\(.)/gs, '$1'), 'latin1').swap16().toString('utf16le'),
  )
}

test('the metadata say PDF/UA-1, and have the title, also with markup characters', async () => {
  const pdf = await render([heading('Heading')], 'Record of the group “R&D <north>”\uffff')
  const metadata = Buffer.from(/<\?xpacket begin.*<\?xpacket end/s.exec(pdf)![0], 'latin1').toString('utf8')
  expect(metadata).toContain('<pdfuaid:part>1</pdfuaid:part>')
  expect(metadata).toMatch(/<rdf:li xml:lang="x-default">Record of the group “R&amp;D &lt;north&gt;”\ufffd<\/rdf:li>/)
})

test('characters that the font lacks are drawn as boxes, and screen readers get the text', async () => {
  const name = '王小明 🎓 Wang'
  const pdf = await render([heading(name), paragraph(`Course of ${name}`), paragraph('Another one')])
  expect(glyphsOf(pdf).length).toBeGreaterThan(20)
  expect(glyphsOf(pdf)).not.toContain('0000')
  expect(spokenTexts(pdf)).toEqual([name, `Course of ${name}`])
  const withNote = glyphsOf(pdf).length
  const boxes = await render([heading('□□□ □ Wang'), paragraph('Course of □□□ □ Wang'), paragraph('Another one')])
  expect(spokenTexts(boxes)).toEqual([])
  expect(withNote - glyphsOf(boxes).length).toBeGreaterThan(boxNote.length)
})

test('screen readers get names of right-to-left scripts in the order of their letters', async () => {
  const names = ['שרה בת־אל כהן', 'فاطمة الزهراء بنت محمد']
  const pdf = await render([...names.map(heading), paragraph('Ελένη Παπαδοπούλου')])
  expect(spokenTexts(pdf)).toEqual(names)
})

test('a right-to-left name keeps its place between the words and punctuation of its sentence', async () => {
  const pdf = await render([paragraph('Ended by שרה כהן, due “לוי” at 12')])
  expect(drawnLines(pdf)).toContain('Ended by ןהכ הרש, due “יול” at 12')
})

test.each([
  ['words around a number', 'קורס 3 בטיחות', 'תוחיטב 3 סרוק'],
  ['numbers that follow each other', 'קורס 3 4 בטיחות', 'תוחיטב 4 3 סרוק'],
  ['Arabic-Indic digits', 'بنت ٢٠٢٤ محمد', 'دمحم ٢٠٢٤ تنب'],
  ['Persian digits', 'بنت ۱۴۰۲ محمد', 'دمحم ۱۴۰۲ تنب'],
  ['Persian digits between Latin words', 'Course ۱۴۰۲ of Anna', 'Course ۱۴۰۲ of Anna'],
  ['brackets', 'שרה (כהן) לוי', 'יול (ןהכ) הרש'],
  ['a Latin name', 'שרה (Sarah) לוי', 'הרש (Sarah) יול'],
  ['an emoji', 'שרה 😀 לוי', 'יול 😀 הרש'],
  ['presentation forms', '\ufb2a\ufb3b \ufee3\ufea4', '\ufea4\ufee3 \ufb3b\ufb2a'],
])('a right-to-left text is drawn in visual order: %s', async (_, text, drawn) => {
  const pdf = await render([paragraph(text)])
  expect(drawnLines(pdf)).toContain(drawn)
  expect(spokenTexts(pdf)).toEqual([text])
})

test('a number at the beginning of a line stays to the right of the words that follow it', async () => {
  const numbers = Array.from({ length: 90 }, (_, index) => index + 10)
  const pdf = await render([paragraph(`קורס ${numbers.join(' בטיחות ')}`)])
  const lines = drawnLines(pdf).filter(line => line.includes('תוחיטב'))
  expect(lines.some(line => /\d$/.test(line))).toBe(true)
  const drawn = lines.flatMap(line => line.match(/\d+/g)!.reverse().map(Number))
  expect(drawn).toEqual(numbers)
})

/** The record of one task. */
function describeTask(videos: RecordedVideo[], assignments: RecordedAssignment[] = [], time_zone = 'UTC'): Block[] {
  const none = { watch_time: 0, credited_seconds: 0, credited_in_period: 0 }
  const task = {
    ...{ playlist_id: 'p', title: 'Empty', deleted: false, assignments, override: null, exceptions: [], ...none },
    ...{ completed: false, completed_at: null, completion_rate: 0, completed_videos: 0, total_videos: 0, videos },
    ...{ earlier_attempts: [], sessions: [] },
  }
  const totals = {
    ...{ tasks: 1, completed_tasks: 0, marked_done_tasks: 0, exempt_tasks: 0, ...none },
    ...{ videos: 0, completed_videos: 0, sessions: 0 },
  }
  const record: DescribedDocument['record'] = {
    ...{ format: 'watchline.record.1', code: 'CODE', time_zone, period: { from: null, until: null } },
    ...{ person: 0, people: [], tasks: [task], totals },
  }
  const seal: DescribedDocument['seal'] = {
    ...{ format: 'watchline.seal.1', number: 1, kind: 'record', issued_at: new Date(0).toISOString() },
    ...{ record_sha256: '', previous_sha256: '', key_id: '' },
  }
  return [...describeDocument({ record, seal, nameOf: () => 'Anna', reasonsOf: () => [], publicUrl: undefined })]
}

test('a document of an organisation whose time zone disappeared has times in UTC, and says so', () => {
  const blocks = describeTask([], [], 'Nowhere/Land')
  expect(blocks).toEqual(describeTask([]))
  expect(JSON.stringify(blocks)).toContain('Times are those of UTC.')
  expect(JSON.stringify(describeTask([], [], 'Asia/Tokyo'))).toContain('Times are those of Asia/Tokyo.')
})

test('a task without a video has no empty list', () => {
  const blocks = describeTask([])
  expect(blocks.filter(block => block.kind === 'list' && block.items.length === 0)).toEqual([])
  expect(blocks).not.toContainEqual({ kind: 'heading', level: 3, text: 'Videos' })
})

test.each([
  ['when the playlist was deleted', null, 'playlist_deleted'],
  ['when the person left a group', null, 'left_group'],
  ['when the role of the person changed', null, 'role_changed'],
  ['when a group was deleted', null, 'group_deleted'],
] as const)('a task that ended %s says so', (text, ended_by, ended_cause) => {
  expect(readEnd({ ended_by, ended_cause })).toBe(`Ended on 3 Nov 2026, 08:00:00 UTC, ${text}`)
})

test('a task that ended names its author, and no cause that is unknown', () => {
  expect(readEnd({ ended_by: null })).toBe('Ended on 3 Nov 2026, 08:00:00 UTC')
  expect(readEnd({ ended_by: 0 })).toBe('Ended on 3 Nov 2026, 08:00:00 UTC by Anna')
  expect(readEnd({ ended_by: 0, ended_cause: 'withdrawn_from_group' })).toBe(
    'Ended on 3 Nov 2026, 08:00:00 UTC by Anna, when the playlist was withdrawn from a group',
  )
})

/** The line that says how the assignment ended. */
function readEnd(end: Pick<RecordedAssignment, 'ended_by' | 'ended_cause'>) {
  const assigned = { assigned_at: null, assigned_by: null, due: null, due_changes: [] }
  const blocks = describeTask([], [{ ...assigned, ended_at: '2026-11-03T08:00:00.000Z', ...end }])
  return blocks.flatMap(block => (block.kind === 'list' ? block.items : [])).find(line => line.startsWith('Ended'))
}

test('a change of terms stands with its author or cause, and its reason, if it has one', () => {
  const change = { by: 0, due: null }
  const due_changes = [
    { ...change, at: '2026-11-03T08:00:00.000Z' },
    { ...change, at: '2026-11-04T08:00:00.000Z', reason: 'On leave' },
    { ...change, at: '2026-11-05T08:00:00.000Z', by: null },
  ]
  const assigned = { assigned_at: null, assigned_by: null, due: null, due_changes, ended_at: null, ended_by: null }
  const lines = describeTask([], [assigned]).flatMap(block => (block.kind === 'list' ? block.items : []))
  expect(lines.filter(line => line.startsWith('Since'))).toEqual([
    expect.stringMatching(/^Since 3 Nov 2026.* without a due date, changed by Anna$/),
    expect.stringMatching(/^Since 4 Nov 2026.* without a due date, changed by Anna. Reason: On leave$/),
    expect.stringMatching(/^Since 5 Nov 2026.* without a due date, when the groups of the person changed$/),
  ])
})

test('a due date in the time zone of the person stands with its local time and that zone', () => {
  const due = { at: '2026-11-30T08:00:00.000Z', local: '2026-11-30T17:00', time_zone: 'Asia/Tokyo' }
  const personal = { ...due, time_zone_of: 'person' as const }
  const due_changes = [{ at: '2026-11-03T08:00:00.000Z', by: 0, due }]
  const assigned = {
    ...{ assigned_at: null, assigned_by: null, due: personal, due_changes, ended_at: null, ended_by: null },
  }
  const text = describeTask([], [assigned])
    .flatMap(block => (block.kind === 'list' ? block.items : []))
    .join('\n')
  expect(text).toContain('due 30 Nov 2026, 08:00:00 UTC (2026-11-30 17:00 in the person’s time zone, Asia/Tokyo)')
  expect(text.match(/person’s time zone/g)).toHaveLength(1)
})

/** The record of a group of one member, who has two tasks. */
function makeGroupRecord(part?: { number: number; of: number }): Pick<DescribedDocument, 'record' | 'seal'> {
  const figures = { watch_time: 0, credited_seconds: 0, credited_in_period: 0, sessions: 0 }
  const task = {
    ...{
      playlist_id: 'p',
      assigned_at: null,
      assigned_by: null,
      due: null,
      ended_at: null,
      override: null,
      ...figures,
    },
    ...{ completed: false, completed_at: null, completion_rate: 0, completed_videos: 0, total_videos: 1 },
  }
  const record: DescribedDocument['record'] = {
    ...{ format: 'watchline.group_record.1', code: 'CODE', time_zone: 'UTC', period: { from: null, until: null } },
    ...{ playlist_id: null, group: { id: 'g', name: 'Drivers' }, members: { at: 'issue', total: 1, left_out: 0 } },
    playlists: [{ playlist_id: 'p', title: 'Fire safety', deleted: false }],
    records: [{ person: 0, ...figures, tasks: [task, { ...task, playlist_id: 'other' }] }],
    totals: {
      ...{ ...figures, tasks: 2, completed_tasks: 0, marked_done_tasks: 0, exempt_tasks: 0, videos: 0 },
      completed_videos: 0,
    },
    people: [],
    ...(part && { part }),
  }
  const seal: DescribedDocument['seal'] = {
    ...{ format: 'watchline.seal.1', number: 1, kind: 'group_record', issued_at: new Date(0).toISOString() },
    ...{ record_sha256: '', previous_sha256: '', key_id: '' },
  }
  return { record, seal }
}

test('the record of a group has the reasons of a member with the task, and none after an erasure', () => {
  const reasons: RecordedReason[] = [
    { playlist_id: 'p', about: 'terms', at: '2026-11-04T08:00:00.000Z', by: 1, reason: 'On leave' },
    { playlist_id: 'p', about: 'exempt', at: '2026-11-05T08:00:00.000Z', by: null, reason: 'Moved' },
  ]
  const linesWith = (listed: readonly RecordedReason[]) =>
    [
      ...describeDocument({
        ...{ ...makeGroupRecord(), publicUrl: undefined },
        ...{ nameOf: index => ['Anna', 'Bert'][index]!, reasonsOf: index => (index === 0 ? listed : []) },
      }),
    ]
      .flatMap(block => (block.kind === 'list' ? block.items : []))
      .slice(-4)
  expect(linesWith(reasons)).toEqual([
    expect.stringMatching(/^Fire safety: /),
    'Due date or other terms changed on 4 Nov 2026, 08:00:00 UTC by Bert. Reason: On leave',
    'Exempted on 5 Nov 2026, 08:00:00 UTC by somebody. Reason: Moved',
    expect.stringMatching(/^other: /),
  ])
  expect(linesWith([]).join()).not.toContain('Reason')
})

test('a part of the record of a group says which one it is, and an undivided record does not', () => {
  const textOf = (part?: { number: number; of: number }) => {
    const details = { ...makeGroupRecord(part), publicUrl: undefined, nameOf: () => 'Anna', reasonsOf: () => [] }
    return [...describeDocument(details)].flatMap(block => (block.kind === 'paragraph' ? block.text : [])).join('\n')
  }
  expect(textOf({ number: 2, of: 3 })).toContain(
    'Part 2 of 3, with 1 member. Each member of the group is in one of the parts. The figures are those of this part.',
  )
  expect(textOf()).not.toContain('Part ')
})

test('the figures of a video stay behind its right-to-left title', async () => {
  const figures = { watch_time: 0, credited_seconds: 0, credited_in_period: 0, completion_rate: 90 }
  const state = { removed: false, unavailable: false, completed: false, completed_at: null }
  const video = { ...figures, ...state, video_id: 'v', title: 'קורס 3', length: 600, ranges: [], notes: [] }
  const pdf = await render(describeTask([video]))
  expect(drawnLines(pdf)).toContainEqual(expect.stringMatching(/^3 סרוק: completion 90% of 10:00/))
})
