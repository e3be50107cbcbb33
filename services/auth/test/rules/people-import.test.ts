import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type KnownPerson, planImport } from '../../src/rules/people-import/plan.ts'
import { emailsOf, type ImportRow } from '../../src/rules/people-import/rows.ts'

let line = 1
function row(fields: Partial<ImportRow>): ImportRow {
  line += 1
  return {
    line,
    email: `p${line}@example.org`,
    name: '',
    role: 'user',
    supervisor_email: '',
    manager_email: '',
    ...fields,
  }
}
const known = (fields: Partial<KnownPerson>): KnownPerson => ({
  id: 'k1',
  name: 'Supervisor One',
  email: 'supervisor1@example.org',
  role: 'supervisor',
  teamSize: 0,
  ...fields,
})
const problemsOf = (rows: ImportRow[], here: KnownPerson[] = []) => planImport(rows, here).problems

describe('what is wrong with one cell', () => {
  test.each<[string, Partial<ImportRow>, string, string]>([
    ['no address', { email: ' ' }, 'email', 'The e-mail is missing.'],
    [
      'an address that is none',
      { email: 'trainee1.example.org' },
      'email',
      'trainee1.example.org is not an e-mail address.',
    ],
    [
      'a long address',
      { email: `${'a'.repeat(250)}@example.org` },
      'email',
      'The e-mail has more than 254 characters.',
    ],
    ['a long name', { name: 'n'.repeat(121) }, 'name', 'The name has more than 120 characters.'],
    ['a name on two lines', { name: 'Trainee\nOne' }, 'name', 'The name has characters that cannot be shown.'],
    ['a name of another encoding', { name: 'Trainee\uFFFD' }, 'name', 'The name is not UTF-8 text.'],
    ['a NUL', { name: 'A\0n\0n' }, 'name', 'The name is not UTF-8 text.'],
    ['no role', { role: '' }, 'role', 'The role is missing.'],
    ['an unknown role', { role: 'boss' }, 'role', 'boss is not a role: user, supervisor, manager or director.'],
    ['the role admin', { role: 'Admin' }, 'role', 'The role admin cannot be given.'],
    [
      'no address of a leader',
      { supervisor_email: 'supervisor1' },
      'supervisor_email',
      'supervisor1 is not an e-mail address.',
    ],
    ['a formula', { name: '=HYPERLINK("x")' }, 'name', 'The name begins like a formula: =HYPERLINK("x")'],
    ['a formula behind a space', { name: ' =1+1' }, 'name', 'The name begins like a formula:  =1+1'],
    ['a plus', { role: '+user' }, 'role', 'The role begins like a formula: +user'],
    ['a minus', { manager_email: '-2' }, 'manager_email', 'The manager e-mail begins like a formula: -2'],
    ['an at', { supervisor_email: '@sum' }, 'supervisor_email', 'The supervisor e-mail begins like a formula: @sum'],
    ['a tab', { name: '\tTrainee One' }, 'name', 'The name begins like a formula:  Trainee One'],
    ['a carriage return', { name: '\rTrainee One' }, 'name', 'The name begins like a formula:  Trainee One'],
  ])('%s', (_what, fields, column, message) => {
    const each = row(fields)
    expect(problemsOf([each])).toContainEqual({ line: each.line, column, message })
  })

  test('a long cell is shown in part', () => {
    const [problem] = problemsOf([row({ role: 'x'.repeat(5_000) })])
    expect(problem!.message.length).toBeLessThan(150)
  })
})

describe('what is wrong between lines, and with who is here', () => {
  const messages = (rows: ImportRow[], here: KnownPerson[] = []) =>
    problemsOf(rows, here).map(each => [each.line, each.message])

  test('the same address twice names the first line', () => {
    const rows = [row({ email: 'trainee1@example.org' }), row({ email: ' TRAINEE1@example.org ' })]
    expect(messages(rows)).toEqual([
      [rows[1]!.line, `trainee1@example.org is in the file twice: line ${rows[0]!.line} has it, too.`],
    ])
  })

  test.each([
    ['supervisor', 'a supervisor'],
    ['admin', 'an administrator'],
  ] as const)('somebody who is here already, as %s', (role, words) => {
    const each = row({ email: 'supervisor1@example.org', role: 'director' })
    expect(messages([each], [known({ role })])).toEqual([
      [each.line, `supervisor1@example.org is already here: Supervisor One, ${words}.`],
    ])
  })

  test('a leader for a role that has none of that kind', () => {
    const here = [known({}), known({ id: 'k2', email: 'manager1@example.org', role: 'manager' })]
    const rows = [
      row({ role: 'user', manager_email: 'manager1@example.org' }),
      row({ role: 'supervisor', supervisor_email: 'supervisor1@example.org' }),
      row({ role: 'director', supervisor_email: 'supervisor1@example.org', manager_email: 'manager1@example.org' }),
    ]
    expect(messages(rows, here).map(([, message]) => message)).toEqual([
      'The manager e-mail is only for the role supervisor, not for user.',
      'The supervisor e-mail is only for the role user, not for supervisor.',
      'The supervisor e-mail is only for the role user, not for director.',
      'The manager e-mail is only for the role supervisor, not for director.',
    ])
  })

  test('a leader whom nobody knows, or who is none', () => {
    const rows = [
      row({ supervisor_email: 'nobody@example.org' }),
      row({ supervisor_email: 'manager1@example.org' }),
      row({ email: 'trainee3@example.org' }),
      row({ supervisor_email: 'trainee3@example.org' }),
      row({ role: 'supervisor', manager_email: 'trainee3@example.org' }),
    ]
    const here = [known({ email: 'manager1@example.org', role: 'manager' })]
    expect(messages(rows, here).map(([, message]) => message)).toEqual([
      'Nobody here or in the file has the address nobody@example.org.',
      'manager1@example.org is not a supervisor.',
      'trainee3@example.org is not a supervisor.',
      'trainee3@example.org is not a manager.',
    ])
  })

  test('a leader’s address that two people here have', () => {
    const each = row({ supervisor_email: 'supervisor1@example.org' })
    expect(messages([each], [known({}), known({ id: 'k2' })])).toEqual([
      [each.line, 'supervisor1@example.org is the address of more than one supervisor here.'],
    ])
    // One of the two is none: no doubt.
    expect(messages([each], [known({}), known({ id: 'k2', role: 'user' })])).toEqual([])
  })

  test('an 11th member, with those who are in the team already', () => {
    const rows = [1, 2, 3, 4].map(() => row({ supervisor_email: 'Supervisor1@example.org' }))
    expect(messages(rows, [known({ teamSize: 8 })])).toEqual([
      [rows[2]!.line, 'Supervisor One would have 11 users; a supervisor has at most 10.'],
      [rows[3]!.line, 'Supervisor One would have 12 users; a supervisor has at most 10.'],
    ])
    const team = [row({ email: 'new@example.org', role: 'supervisor' })]
    for (let each = 0; each < 11; each += 1) team.push(row({ supervisor_email: 'new@example.org' }))
    expect(messages(team)).toEqual([
      [team[11]!.line, 'new@example.org would have 11 users; a supervisor has at most 10.'],
    ])
  })

  test('a manager may have any number of supervisors', () => {
    const rows = [row({ email: 'manager1@example.org', role: 'manager' })]
    for (let each = 0; each < 30; each += 1)
      rows.push(row({ role: 'supervisor', manager_email: 'manager1@example.org' }))
    expect(messages(rows)).toEqual([])
  })

  test('who is under themself, directly or in a circle', () => {
    const rows = [
      row({ email: 'a@example.org', supervisor_email: 'a@example.org' }),
      row({ email: 'b@example.org', supervisor_email: 'c@example.org' }),
      row({ email: 'c@example.org', role: 'supervisor', manager_email: 'b@example.org' }),
      row({ email: 'd@example.org', supervisor_email: 'c@example.org' }),
    ]
    expect(messages(rows)).toEqual([
      [rows[0]!.line, 'a@example.org cannot be under themself.'],
      [rows[1]!.line, 'This makes a circle: b@example.org is under c@example.org is under b@example.org.'],
      [rows[2]!.line, 'This makes a circle: c@example.org is under b@example.org is under c@example.org.'],
    ])
  })

  test('a long circle is told in short', () => {
    const rows = Array.from({ length: 50 }, (_, at) =>
      row({ email: `c${at}@example.org`, supervisor_email: `c${(at + 1) % 50}@example.org` }),
    )
    const told = messages(rows)
    expect(told).toHaveLength(50)
    expect(told[0]![1]).toBe(
      'This makes a circle: c0@example.org is under c1@example.org is under c2@example.org is under … is under c0@example.org.',
    )
  })

  test('problems come by line, and within it as the columns do', () => {
    const rows = [row({ role: 'boss', email: 'x' }), row({ role: '' })]
    expect(problemsOf([...rows].reverse()).map(each => [each.line, each.column])).toEqual([
      [rows[0]!.line, 'email'],
      [rows[0]!.line, 'role'],
      [rows[1]!.line, 'role'],
    ])
  })
})

describe('the plan', () => {
  test('puts everybody at their place, whatever the order of lines', () => {
    const rows = [
      row({
        email: 'Trainee1@Example.org',
        name: ' Trainee One ',
        role: 'USER',
        supervisor_email: 'new@example.org',
      }),
      row({ email: 'trainee.two@example.org', supervisor_email: 'SUPERVISOR1@example.org' }),
      row({ email: 'new@example.org', role: 'supervisor', manager_email: 'manager.one@example.org' }),
      row({ email: 'manager.one@example.org', role: 'manager' }),
      row({ email: 'director.one@example.org', role: 'director' }),
    ]
    const { plan } = planImport(rows, [known({ teamSize: 9 })])
    const nobody = { supervisor: null, manager: null, teamSize: 0 }
    expect(plan!.people).toEqual([
      {
        ...nobody,
        email: 'trainee1@example.org',
        name: 'Trainee One',
        role: 'user',
        supervisor: { email: 'new@example.org' },
      },
      { ...nobody, email: 'trainee.two@example.org', name: 'Trainee Two', role: 'user', supervisor: { id: 'k1' } },
      {
        ...nobody,
        email: 'new@example.org',
        name: 'New',
        role: 'supervisor',
        manager: { email: 'manager.one@example.org' },
        teamSize: 1,
      },
      { ...nobody, email: 'manager.one@example.org', name: 'Manager One', role: 'manager', teamSize: 1 },
      { ...nobody, email: 'director.one@example.org', name: 'Director One', role: 'director' },
    ])
    expect([...plan!.seats]).toEqual([['k1', { role: 'supervisor', count: 1 }]])
    expect(plan!.counts).toEqual({ user: 2, supervisor: 1, manager: 1, director: 1 })
  })

  const address = fc.constantFrom(...'abcdefgh').map(letter => `${letter}@example.org`)
  const anyRow = fc.record({
    email: fc.oneof(address, fc.string()),
    name: fc.oneof(fc.constant(''), fc.string({ unit: 'binary' })),
    role: fc.constantFrom('user', 'user', 'supervisor', 'manager', 'director', 'admin', ''),
    supervisor_email: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, address),
    manager_email: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, address),
  })
  const anyFile = fc.array(anyRow, { maxLength: 40 }).map(rows => rows.map((each, at) => ({ line: at + 2, ...each })))
  const anybodyHere = fc.uniqueArray(
    fc.record({
      id: fc.uuid(),
      name: fc.constant('Known'),
      email: fc.constantFrom(...'efghij').map(letter => `${letter}@example.org`),
      role: fc.constantFrom('user', 'supervisor', 'manager', 'director', 'admin'),
      teamSize: fc.integer({ min: 0, max: 10 }),
    }),
    { selector: person => person.id, maxLength: 8 },
  )

  test('is made for a file without a problem only, and keeps every rule there is', () => {
    fc.assert(
      fc.property(anyFile, anybodyHere, (rows, here) => {
        const { problems, plan } = planImport(rows, here as KnownPerson[])
        if (!plan) {
          expect(problems.length).toBeGreaterThan(0)
          for (const { line: at, message } of problems)
            expect(rows.some(each => each.line === at) && message).toBeTruthy()
          return
        }
        expect(problems).toEqual([])
        expect(plan.people).toHaveLength(rows.length)
        const emails = plan.people.map(person => person.email)
        expect(new Set(emails).size).toBe(emails.length)
        expect(here.filter(person => emails.includes(person.email))).toEqual([])
        const under = new Map<string, number>()
        for (const { role, supervisor, manager } of plan.people) {
          if (supervisor) expect(role).toBe('user')
          if (manager) expect(role).toBe('supervisor')
          const leader = supervisor ?? manager
          if (!leader) continue
          const wanted = supervisor ? 'supervisor' : 'manager'
          const found =
            'id' in leader
              ? here.find(each => each.id === leader.id)
              : plan.people.find(each => each.email === leader.email)
          expect(found?.role).toBe(wanted)
          const key = 'id' in leader ? leader.id : leader.email
          under.set(key, (under.get(key) ?? 0) + 1)
        }
        for (const person of plan.people) {
          expect(person.teamSize).toBe(under.get(person.email) ?? 0)
          if (person.role === 'supervisor') expect(person.teamSize).toBeLessThanOrEqual(10)
        }
        for (const person of here) {
          const more = under.get(person.id) ?? 0
          expect(plan.seats.get(person.id)?.count ?? 0).toBe(more)
          if (person.role === 'supervisor' && more > 0) expect(person.teamSize + more).toBeLessThanOrEqual(10)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('does not depend on the order of lines', () => {
    const whole = fc
      .integer({ min: 1, max: 9 })
      .chain(size => fc.shuffledSubarray([...Array(size).keys()], { minLength: size }))
    fc.assert(
      fc.property(whole, order => {
        const rows = order.map(at => row({ email: `u${at}@example.org`, supervisor_email: 's@example.org' }))
        const at = order[0]! % (rows.length + 1)
        rows.splice(at, 0, row({ email: 's@example.org', role: 'supervisor' }))
        const { plan } = planImport(rows, [])
        expect(plan!.people.find(each => each.email === 's@example.org')!.teamSize).toBe(order.length)
      }),
    )
  })

  test('everybody a file names is asked for once', () => {
    const rows = [
      row({ email: 'A@x.org', supervisor_email: 'b@x.org' }),
      row({ email: 'b@x.org', role: 'supervisor', manager_email: ' M@x.org' }),
    ]
    expect(emailsOf(rows)).toEqual(['a@x.org', 'b@x.org', 'm@x.org'])
  })
})
