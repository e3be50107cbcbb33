import { describe, expect, test } from '@jest/globals'
import { mailKind, type NotificationMailKind } from '@watchline/contracts/mail'
import { erasedName } from '@watchline/contracts/people'
import fc from 'fast-check'
import { type Activity, createGroup } from '../../src/rules/activity.ts'
import { composeDigest, composeMail } from '../../src/rules/compose-mail.ts'
import { retryDelayAfter } from '../../src/rules/mail-retry.ts'
import { parseSender } from '../../src/rules/mail-sender.ts'
import { isTemplateProblem, parseTemplate } from '../../src/rules/mail-template.ts'
import { parseDefaultWording, parseWording } from '../../src/rules/mail-wording.ts'
import { describeCause } from '../../src/rules/uncompletable-cause.ts'

const notificationKinds = mailKind.options.filter(
  kind => kind !== 'team_digest' && kind !== 'task_escalated' && kind !== 'saved_report',
)

const groupOf = <K extends NotificationMailKind>(kind: K, activity: Omit<Activity, 'kind'>) => ({
  ...createGroup({ ...activity, kind }),
  kind,
})

const frame = {
  recipientRole: 'supervisor' as const,
  publicUrl: 'https://watchline.example',
  unsubscribeUrl: 'https://watchline.example/?page=unsubscribe#token=t',
}

test('whatever names and titles hold, the subject is one line and the HTML has no markup of theirs', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 60 })
  fc.assert(
    fc.property(fc.constantFrom(...notificationKinds), anyText, anyText, anyText, (kind, name, title, text) => {
      const playlist = { id: 'list', title: `${title}<img src=x>\r\nBcc: x@example.org` }
      const group = groupOf(kind, { person: { id: 'p', name: `<b>${name}` }, count: 1, playlist, text })
      const mail = composeMail(group, parseDefaultWording(kind), { ...frame, recipientName: `<i>${name}\n` })
      expect(mail.subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      expect(mail.html).not.toMatch(/<img|<b>|<i>/)
      expect(mail.html).toContain(frame.unsubscribeUrl)
      expect(mail.text).toContain(frame.unsubscribeUrl)
      expect(mail.text).toContain('You get this mail because')
      expect(mail.html).toContain('<html lang="en">')
    }),
  )
})

test('the delays between attempts grow, and end', () => {
  const delays = Array.from({ length: 9 }, (_, index) => retryDelayAfter(index + 1)!)
  expect(delays).toEqual([...delays].sort((a, b) => a - b))
  expect(retryDelayAfter(10)).toBeUndefined()
})

test.each([
  ['watchline@example.org', { name: 'Watchline', address: 'watchline@example.org', domain: 'example.org' }],
  [
    '"Acme Training" <Train@Example.org>',
    { name: 'Acme Training', address: 'train@example.org', domain: 'example.org' },
  ],
  ['Watchline', undefined],
  ['A <a@example.org>\r\nBcc: b@example.org', undefined],
  ['a@example.org, b@example.org', undefined],
])('the sender %j', (text, sender) => {
  expect(parseSender(text)).toEqual(sender)
})

test('a required reminder offers no way to end it, and says so', () => {
  const group = groupOf('task_overdue', { person: null, count: 1, playlist: { id: 'list', title: 'Safety' } })
  const mail = composeMail(group, parseDefaultWording('task_overdue'), {
    ...frame,
    recipientName: 'Trainee',
    unsubscribeUrl: undefined,
  })
  for (const words of [mail.text, mail.html]) {
    expect(words).not.toMatch(/unsubscribe|No more mails/)
    expect(words).toContain('Reminders of due dates cannot be turned off.')
  }
})

describe('words with placeholders', () => {
  const allowed = ['name', 'task', 'link'] as const

  test('are any text with its braces doubled', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const parsed = parseTemplate(text.replace(/[{}]/g, '$&$&'), allowed)
        expect(parsed).toEqual(text === '' ? [] : [text])
      }),
    )
  })

  test.each([
    ['Hello {name}', ['Hello ', { placeholder: 'name' }]],
    ['{ task }{{x}}', [{ placeholder: 'task' }, '{x}']],
    ['{{{name}}}', ['{', { placeholder: 'name' }, '}']],
    ['{decision:genehmigt|abgelehnt}', [{ placeholder: 'decision', words: ['genehmigt', 'abgelehnt'] }]],
    ['{ decision : a: b | }', [{ placeholder: 'decision', words: ['a: b', ''] }]],
    ['{ task : ohne: Titel }', [{ placeholder: 'task', words: ['ohne: Titel'] }]],
    ['{task:}', [{ placeholder: 'task', words: [''] }]],
  ])('%j are read', (words, parts) => {
    expect(parseTemplate(words, [...allowed, 'decision'])).toEqual(parts)
  })

  test.each([
    ['{decision}', 'line 1, column 1: “{decision}” must have words for 2 cases, such as {decision:approved|rejected}.'],
    [
      'Ja:\n {decision:a|b|c}',
      'line 2, column 2: “{decision:a|b|c}” must have words for 2 cases, such as {decision:approved|rejected}.',
    ],
    ['{name:a|b}', 'line 1, column 1: “{name:a|b}” has words, but {name} takes none.'],
    [
      '{task:a|b}',
      'line 1, column 1: “{task:a|b}” may have only one text after the colon, for mails without this value. Remove “|”.',
    ],
    ['{{task:a}}', 'line 1, column 1: Write {task} with single braces.'],
    ['{{decision:a|b}}', 'line 1, column 1: Write {decision} with single braces.'],
    [
      '{file:a|b}',
      'line 1, column 1: “{file:a|b}” is not known here. Known are {name}, {decision:approved|rejected}, {task}.',
    ],
  ])('%j are refused for their words', (words, problem) => {
    expect(parseTemplate(words, ['name', 'decision', 'task'])).toEqual({ problem })
  })

  test.each([
    ['Hello {nmae}', 'line 1, column 7: “{nmae}” is not known here. Known are {name}, {task}, {link}.'],
    ['Hello\r\n😀 {sender}', 'line 2, column 3: “{sender}” is not known here. Known are {name}, {task}, {link}.'],
    ['a\n\nb {name', 'line 3, column 3: “{” has no “}” in its line. Write {{ for a brace.'],
    ['{name\n}', 'line 1, column 1: “{” has no “}” in its line. Write {{ for a brace.'],
    ['name}', 'line 1, column 5: “}” has no “{” before it. Write }} for a brace.'],
    ['{}', 'line 1, column 1: “{}” is not known here. Known are {name}, {task}, {link}.'],
    ['Hi\n{{x}} {{name}}', 'line 2, column 7: Write {name} with single braces.'],
    ['{{{{ task }}}}', 'line 1, column 3: Write {task} with single braces.'],
    ['{constructor}', 'line 1, column 1: “{constructor}” is not known here. Known are {name}, {task}, {link}.'],
  ])('%j are refused with their place', (words, problem) => {
    expect(parseTemplate(words, allowed)).toEqual({ problem })
  })

  test('are read, or refused with a place within them', () => {
    const anyWords = fc.array(fc.constantFrom('{', '}', '{name}', 'a', '\n', '😀')).map(parts => parts.join(''))
    fc.assert(
      fc.property(anyWords, words => {
        const parsed = parseTemplate(words, allowed)
        if (!isTemplateProblem(parsed)) return
        const [, line, column] = /^line (\d+), column (\d+): /.exec(parsed.problem)!
        expect([...words.split('\n')[Number(line) - 1]!][Number(column) - 1]).toMatch(/[{}]/)
      }),
    )
  })

  const own = {
    subject: 'Bitte {task}',
    text: 'Guten Tag {name},\nbitte:\n\n{link}\n \nOder {link}.',
    link_label: 'Zur <Aufgabe>',
  }
  const overdue = { person: null, count: 1, playlist: { id: 'list', title: 'A & B' } }

  test('of an administrator have paragraphs, a button and links, and are no HTML', () => {
    const parsed = parseWording('task_overdue', { ...own, text: `${own.text}\n<script>alert(1)</script>` })
    if ('problem' in parsed) throw new Error(parsed.problem)
    const mail = composeMail(groupOf('task_overdue', overdue), parsed, {
      ...frame,
      recipientName: 'Trainee {task}\n\n{link}',
    })
    const url = 'https://watchline.example/dashboard?session=list'
    expect(mail.subject).toBe('Bitte A & B')
    expect(mail.paragraphs).toEqual([
      { lines: [[{ text: 'Guten Tag Trainee {task} {link},' }], [{ text: 'bitte:' }]] },
      { button: { label: 'Zur <Aufgabe>', url } },
      { lines: [[{ text: 'Oder ' }, { text: url, url }, { text: '.' }], [{ text: '<script>alert(1)</script>' }]] },
    ])
    expect(mail.html).toContain('<html>')
    expect(mail.html).toContain('>Zur &lt;Aufgabe&gt;</a>')
    expect(mail.html).not.toContain('<script>')
    expect(mail.text).toContain(`Zur <Aufgabe>:\n${url}\n\nOder ${url}.`)
  })

  test.each([
    [{ text: 'No way in' }, { field: 'text', problem: 'must contain {link}, which leads to what the mail is about' }],
    [{ subject: '{link}' }, { field: 'subject', problem: expect.stringContaining('line 1, column 1: “{link}”') }],
    [{ text: '{video} {link}' }, { field: 'text', problem: expect.stringContaining('“{video}” is not known here') }],
  ])('%j are refused with their field', (change, problem) => {
    expect(parseWording('task_overdue', { ...own, ...change })).toEqual(problem)
  })
})

describe('an own end of a mail', () => {
  const words = { subject: 'Betreff', text: '{link}', link_label: 'Öffnen' }

  test('replaces the English one, with the link that ends the kind', () => {
    const footer = 'Sie haben diese Mails gewählt.\n\nKeine mehr: {unsubscribe}'
    const parsed = parseWording('playlist_shared', { ...words, footer }, 'de')
    if ('problem' in parsed) throw new Error(parsed.problem)
    const mail = composeMail(groupOf('playlist_shared', { person: null, count: 1 }), parsed, {
      ...{ ...frame, recipientName: 'Supervisor 1' },
    })
    const { unsubscribeUrl } = frame
    expect(mail.footer).toEqual([
      { lines: [[{ text: 'Sie haben diese Mails gewählt.' }]] },
      { lines: [[{ text: 'Keine mehr: ' }, { text: unsubscribeUrl, url: unsubscribeUrl }]] },
    ])
    expect(mail.text).toContain(`--\n\nSie haben diese Mails gewählt.\n\nKeine mehr: ${unsubscribeUrl}`)
    for (const part of [mail.text, mail.html]) expect(part).not.toMatch(/You get this mail|lang="en"/)
  })

  test.each([
    ['playlist_shared', 'Keine mehr', 'must contain {unsubscribe}, the link that ends mails of this kind'],
    ['playlist_shared', '{task}', 'line 1, column 1: “{task}” is not known here. Known are {name}, {unsubscribe}.'],
    ['task_overdue', '{unsubscribe}', 'line 1, column 1: “{unsubscribe}” is not known here. Known are {name}.'],
  ] as const)('of %s that says %j is refused', (kind, footer, problem) => {
    expect(parseWording(kind, { ...words, footer })).toEqual({ field: 'footer', problem })
  })

  test('of a reminder that nobody can end needs no link', () => {
    expect(parseWording('task_overdue', { ...words, footer: 'Guten Tag {name}' })).toHaveProperty('footer')
  })
})

describe('words in another language', () => {
  const person = { id: 'p', name: 'Trainee 1' }
  const playlist = { id: 'list', title: 'Brandschutz' }
  const video = { id: 'film', title: 'Fluchtwege' }

  test.each<[Activity, string, string]>([
    [
      { kind: 'comment_reviewed', person, count: 1, playlist, video, timestamp: 75, text: 'Gut', positive: false },
      '{sender} hat Ihren Kommentar bei {position} in „{video}“ {decision:genehmigt|abgelehnt}: {reason}',
      'Trainee 1 hat Ihren Kommentar bei 1:15 in „Fluchtwege“ abgelehnt: Gut',
    ],
    [
      { kind: 'integrity', person, count: 3, playlist, video, notes: { hidden: 1, skipped: 2, later_code: 4 } },
      '{person}: {integrity_notes:übersprungen|zu schnell|nicht sichtbar|in einer zweiten Sitzung|nicht geantwortet}',
      'Trainee 1: übersprungen (2×), nicht sichtbar (1×)',
    ],
    [
      { kind: 'task_uncompletable', person, count: 1, playlist, ...describeCause('no_access') },
      '{person}: {cause:kein Video läuft|Konto gesperrt}',
      'Trainee 1: Konto gesperrt',
    ],
    [
      { kind: 'terms_changed', person, count: 1, playlist, text: '95% needed' },
      '{required_percent}, {grace_days}, {max_rate}, {skipping_ahead:mit|ohne} Überspringen, {reason}',
      '90%, 0, –, mit Überspringen, –',
    ],
    [
      { kind: 'due_date_changed', person, count: 1, playlist, reason: 'Urlaub' },
      'Neue Frist für {task}: {due_date}. {reason}',
      'Neue Frist für Brandschutz: –. Urlaub',
    ],
    [
      { kind: 'supervisor_requested', person: { id: 'm', name: 'Manager 1' }, count: 1, text: 'Supervisor 7' },
      '{sender} beantragt {person}',
      'Manager 1 beantragt Supervisor 7',
    ],
    [
      // Saved before `sender` was left out of the form.
      { kind: 'request_reviewed', person, count: 1, positive: true },
      '{sender} ist {decision:genehmigt|abgelehnt}',
      'Trainee 1 ist genehmigt',
    ],
    [
      { kind: 'task_uncompletable', person, count: 1, playlist, text: 'of a version before' },
      '{cause:kein Video läuft|Konto gesperrt}',
      '–',
    ],
    [
      { kind: 'task_assigned', person: { id: 'p', name: 'Somebody' }, count: 1, playlist },
      '{sender:Jemand} hat {task} zugewiesen ({due_date:ohne Frist}).{note:}',
      'Jemand hat Brandschutz zugewiesen (ohne Frist).',
    ],
    [
      { kind: 'playlist_completed', person: { id: 'p', name: erasedName }, count: 1, playlist },
      '{person:Jemand} und {person}: {task}',
      'Jemand und –: Brandschutz',
    ],
    [
      { kind: 'playlist_completed', person, count: 1, playlist },
      '{person:Jemand}: {task:eine Aufgabe}',
      'Trainee 1: Brandschutz',
    ],
  ])('about %j have no English words', (activity, words, sentence) => {
    const kind = activity.kind as NotificationMailKind
    const parsed = parseWording(kind, { subject: 'Betreff', text: `${words}\n\n{link}`, link_label: 'Öffnen' }, 'de')
    if ('problem' in parsed) throw new Error(parsed.problem)
    const mail = composeMail(groupOf(kind, activity), parsed, { ...frame, recipientName: 'Supervisor 1' })
    expect(mail.paragraphs[0]).toEqual({ lines: [[{ text: sentence }]] })
  })
})

test.each([
  ['{sender}, {due_date}, {note}', 'Somebody, no due date, –'],
  ['{sender:A colleague}, {due_date:any time}, {note:without a note}', 'A colleague, any time, without a note'],
])('missing facts in English words: %s', (words, sentence) => {
  const parsed = parseWording('task_assigned', { subject: 'New', text: `${words}\n\n{link}`, link_label: 'Open' }, 'en')
  if ('problem' in parsed) throw new Error(parsed.problem)
  const group = groupOf('task_assigned', { person: { id: 'p', name: 'Somebody' }, count: 1 })
  const mail = composeMail(group, parsed, { ...frame, recipientName: 'Trainee 1' })
  expect(mail.paragraphs[0]).toEqual({ lines: [[{ text: sentence }]] })
})

test('a mail about several people names one whose name is known', () => {
  const people = ['Somebody', 'Trainee 2'].map(name => ({ id: name, name }))
  const playlist = { id: 'list', title: 'Brandschutz' }
  const kind = 'task_uncompletable'
  const words = { subject: 'Betreff', text: '{person:Jemand} ({count})\n\n{link}', link_label: 'Öffnen' }
  const parsed = parseWording(kind, words, 'de')
  if ('problem' in parsed) throw new Error(parsed.problem)
  const textOf = (named: typeof people) => {
    const group = groupOf(kind, { person: null, count: named.length, playlist, ...describeCause('no_access') })
    return composeMail({ ...group, people: named }, parsed, { ...frame, recipientName: 'Supervisor 1' }).paragraphs[0]
  }
  expect(textOf(people)).toEqual({ lines: [[{ text: 'Trainee 2 + 1 (2)' }]] })
  expect(textOf([people[0]!, people[0]!])).toEqual({ lines: [[{ text: 'Jemand (2)' }]] })
})

test('a mail about several people names the first one and counts the others in every language', () => {
  const people = ['1', '2', '3'].map(id => ({ id, name: `Trainee ${id}` }))
  const playlist = { id: 'list', title: 'Brandschutz' }
  const kind = 'task_uncompletable'
  const group = groupOf(kind, { person: null, count: 3, playlist, ...describeCause('no_access') })
  const words = { subject: 'Betreff', text: '{person} ({count}): {task}. {message}\n\n{link}', link_label: 'Öffnen' }
  const parsed = parseWording(kind, words, 'de')
  if ('problem' in parsed) throw new Error(parsed.problem)
  const mail = composeMail({ ...group, people, activityCount: 3 }, parsed, { ...frame, recipientName: 'Supervisor 1' })
  expect(mail.text).toContain('Trainee 1 + 2 (3): Brandschutz. ')
  expect(mail.text).toContain(
    'Trainee 1, Trainee 2 and 1 other cannot complete “Brandschutz”: their accounts are deactivated.',
  )
})

test('a digest names people, tasks and dates, one in a line, and is no HTML', () => {
  const due = '2027-01-29T16:00:00.000Z'
  const task = {
    person_id: 'p',
    person_name: 'Trainee\n<b>',
    playlist_id: 'list',
    playlist_title: 'Safety {link}',
    due,
  }
  const digest = { overdue: 2, due_soon: 1, tasks: [task, { ...task, due: '2027-02-02T16:00:00.000Z' }] }
  const mail = composeDigest('team_digest', digest, parseDefaultWording('team_digest'), {
    ...{ ...frame, recipientName: 'Supervisor', timeZone: 'Europe/Berlin', now: Date.parse('2027-02-01T07:00Z') },
  })
  expect(mail.subject).toBe('Tasks of your team: 2 overdue, 1 due within a week')
  expect(mail.text).toContain(
    [
      'Trainee <b>: “Safety {link}” was due on 29 January 2027 at 17:00 (Europe/Berlin)',
      'Trainee <b>: “Safety {link}” is due on 2 February 2027 at 17:00 (Europe/Berlin)',
      'and 1 more',
    ].join('\n'),
  )
  expect(mail.html).not.toContain('<b>')
  expect(mail.html).toContain('href="https://watchline.example/dashboard?tab=engagement&amp;view=at-risk"')
})

test('a list in another language has its dates, and no English words', () => {
  const due = '2027-01-29T16:00:00.000Z'
  const task = { person_id: 'p', person_name: 'Trainee', playlist_id: 'list', playlist_title: 'Safety', due }
  const words = { subject: 'Überfällig', text: '{tasks}\n\n{link}', link_label: 'Öffnen' }
  const wording = parseWording('task_escalated', words, 'de')
  if ('problem' in wording) throw new Error(wording.problem)
  const mail = composeDigest('task_escalated', { overdue: 3, due_soon: 0, tasks: [task] }, wording, {
    ...{ ...frame, recipientName: 'Manager', timeZone: 'Europe/Berlin', now: Date.parse('2027-02-01T07:00Z') },
  })
  expect(mail.text).toContain('Trainee: “Safety”, 29. Januar 2027 um 17:00 (Europe/Berlin)\n+ 2\n')
})

test('a manager’s mail about escalated tasks counts them, and leads to them', () => {
  const due = '2027-01-29T16:00:00.000Z'
  const task = { person_id: 'p', person_name: 'Trainee', playlist_id: 'list', playlist_title: 'Safety', due }
  const compose = (overdue: number) =>
    composeDigest('task_escalated', { overdue, due_soon: 0, tasks: [task] }, parseDefaultWording('task_escalated'), {
      ...{ ...frame, recipientName: 'Manager', timeZone: 'Europe/Berlin', now: Date.parse('2027-02-01T07:00Z') },
    })
  expect(compose(1).subject).toBe('In your teams: 1 overdue task')
  const mail = compose(120)
  expect(mail.subject).toBe('In your teams: 120 overdue tasks')
  expect(mail.text).toContain('Trainee: “Safety” was due on 29 January 2027 at 17:00 (Europe/Berlin)\nand 119 more')
  expect(mail.text).toContain('https://watchline.example/dashboard?tab=analytics&view=at-risk')
  expect(mail.text).toContain('No more mails of this kind: https://watchline.example/?page=unsubscribe#token=t')
})
