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
const knownPerson = (fields: Partial<KnownPerson>): KnownPerson => ({
  id: 'k1',
  name: 'Supervisor One',
  email: 'supervisor1@example.org',
  role: 'supervisor',
  teamSize: 0,
  ...fields,
})
const problemsOf = (rows: ImportRow[], knownPeople: KnownPerson[] = []) => planImport(rows, knownPeople).problems

describe('problems of one cell', () => {
  test.each<[string, Partial<ImportRow>, string, string]>([
    ['no address', { email: ' ' }, 'email', 'The email is missing.'],
    ['an invalid address', { email: 'trainee1.example.org' }, 'email', 'trainee1.example.org is not an email address.'],
    ['a long address', { email: `${'a'.repeat(250)}@example.org` }, 'email', 'The email has more than 254 characters.'],
    ['a long name', { name: 'n'.repeat(121) }, 'name', 'The name has more than 120 characters.'],
    ['a name on two lines', { name: 'Trainee\nOne' }, 'name', 'The name has characters that cannot be shown.'],
    ['a name of another encoding', { name: 'Trainee\uFFFD' }, 'name', 'The name is not UTF-8 text.'],
    ['a NUL', { name: 'A\0n\0n' }, 'name', 'The name is not UTF-8 text.'],
    ['no role', { role: '' }, 'role', 'The role is missing.'],
    ['an unknown role', { role: 'boss' }, 'role', 'boss is not a role: user, supervisor, manager or director.'],
    ['the role admin', { role: 'Admin' }, 'role', 'The role admin cannot be given.'],
    [
      'an invalid address of a leader',
      { supervisor_email: 'supervisor1' },
      'supervisor_email',
      'supervisor1 is not an email address.',
    ],
    ['a formula', { name: '=HYPERLINK("x")' }, 'name', 'The name begins like a formula: =HYPERLINK("x")'],
    ['a formula behind a space', { name: ' =1+1' }, 'name', 'The name begins like a formula:  =1+1'],
    ['a full-width formula', { name: '＝1+1' }, 'name', 'The name begins like a formula: ＝1+1'],
    ['a plus', { role: '+user' }, 'role', 'The role begins like a formula: +user'],
    ['a minus', { manager_email: '-2' }, 'manager_email', 'The manager email begins like a formula: -2'],
    ['an at', { supervisor_email: '@sum' }, 'supervisor_email', 'The supervisor email begins like a formula: @sum'],
    ['a tab', { name: '\tTrainee One' }, 'name', 'The name begins like a formula:  Trainee One'],
    ['a carriage return', { name: '\rTrainee One' }, 'name', 'The name begins like a formula:  Trainee One'],
  ])('%s', (_name, fields, column, message) => {
    const wrongRow = row(fields)
    expect(problemsOf([wrongRow])).toContainEqual({ line: wrongRow.line, column, message })
  })

  test('a message quotes only the beginning of a long cell', () => {
    const [problem] = problemsOf([row({ role: 'x'.repeat(5_000) })])
    expect(problem!.message.length).toBeLessThan(150)
  })
})

describe('problems between lines and with existing people', () => {
  const messages = (rows: ImportRow[], knownPeople: KnownPerson[] = []) =>
    problemsOf(rows, knownPeople).map(problem => [problem.line, problem.message])

  test('a repeated address names the first line', () => {
    const rows = [row({ email: 'trainee1@example.org' }), row({ email: ' TRAINEE1@example.org ' })]
    expect(messages(rows)).toEqual([
      [rows[1]!.line, `trainee1@example.org is in the file twice: line ${rows[0]!.line} has it, too.`],
    ])
  })

  test.each([
    ['supervisor', 'a supervisor'],
    ['admin', 'an administrator'],
  ] as const)('an address of an existing person with the role %s', (role, title) => {
    const repeated = row({ email: 'supervisor1@example.org', role: 'director' })
    expect(messages([repeated], [knownPerson({ role })])).toEqual([
      [repeated.line, `supervisor1@example.org is already here: Supervisor One, ${title}.`],
    ])
  })

  test('an address that an existing person has not verified', () => {
    const repeated = row({ email: 'supervisor1@example.org' })
    const [[, message]] = messages([repeated], [knownPerson({ emailVerified: false })]) as [[number, string]]
    expect(message).toMatch(/is already here: Supervisor One, .+ \(unverified\)\.$/)
  })

  test('a leader in a column of another role', () => {
    const knownPeople = [knownPerson({}), knownPerson({ id: 'k2', email: 'manager1@example.org', role: 'manager' })]
    const rows = [
      row({ role: 'user', manager_email: 'manager1@example.org' }),
      row({ role: 'supervisor', supervisor_email: 'supervisor1@example.org' }),
      row({ role: 'director', supervisor_email: 'supervisor1@example.org', manager_email: 'manager1@example.org' }),
    ]
    expect(messages(rows, knownPeople).map(([, message]) => message)).toEqual([
      'The manager email is only for the role supervisor, not for user.',
      'The supervisor email is only for the role user, not for supervisor.',
      'The supervisor email is only for the role user, not for director.',
      'The manager email is only for the role supervisor, not for director.',
    ])
  })

  test('an unknown leader, or one with another role', () => {
    const rows = [
      row({ supervisor_email: 'nobody@example.org' }),
      row({ supervisor_email: 'manager1@example.org' }),
      row({ email: 'trainee3@example.org' }),
      row({ supervisor_email: 'trainee3@example.org' }),
      row({ role: 'supervisor', manager_email: 'trainee3@example.org' }),
    ]
    const knownPeople = [knownPerson({ email: 'manager1@example.org', role: 'manager' })]
    expect(messages(rows, knownPeople).map(([, message]) => message)).toEqual([
      'Nobody here or in the file has the address nobody@example.org.',
      'manager1@example.org is not a supervisor.',
      'trainee3@example.org is not a supervisor.',
      'trainee3@example.org is not a manager.',
    ])
  })

  test('a leader’s address of two existing people', () => {
    const member = row({ supervisor_email: 'supervisor1@example.org' })
    expect(messages([member], [knownPerson({}), knownPerson({ id: 'k2' })])).toEqual([
      [member.line, 'supervisor1@example.org is the address of more than one supervisor here.'],
    ])
    // Only one of the two is a supervisor.
    expect(messages([member], [knownPerson({}), knownPerson({ id: 'k2', role: 'user' })])).toEqual([])
  })

  test('an 11th member, including the existing team', () => {
    const rows = [1, 2, 3, 4].map(() => row({ supervisor_email: 'Supervisor1@example.org' }))
    expect(messages(rows, [knownPerson({ teamSize: 8 })])).toEqual([
      [rows[2]!.line, 'Supervisor One would have 11 users; a supervisor has at most 10.'],
      [rows[3]!.line, 'Supervisor One would have 12 users; a supervisor has at most 10.'],
    ])
    const team = [row({ email: 'new@example.org', role: 'supervisor' })]
    for (let count = 0; count < 11; count += 1) team.push(row({ supervisor_email: 'new@example.org' }))
    expect(messages(team)).toEqual([
      [team[11]!.line, 'new@example.org would have 11 users; a supervisor has at most 10.'],
    ])
  })

  test('a manager may have any number of supervisors', () => {
    const rows = [row({ email: 'manager1@example.org', role: 'manager' })]
    for (let count = 0; count < 30; count += 1)
      rows.push(row({ role: 'supervisor', manager_email: 'manager1@example.org' }))
    expect(messages(rows)).toEqual([])
  })

  test('a person under themself, directly or in a cycle', () => {
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

  test('a message names only some members of a long cycle', () => {
    const rows = Array.from({ length: 50 }, (_, index) =>
      row({ email: `c${index}@example.org`, supervisor_email: `c${(index + 1) % 50}@example.org` }),
    )
    const cycleMessages = messages(rows)
    expect(cycleMessages).toHaveLength(50)
    expect(cycleMessages[0]![1]).toBe(
      'This makes a circle: c0@example.org is under c1@example.org is under c2@example.org is under … is under c0@example.org.',
    )
  })

  test('problems are sorted by line and column', () => {
    const rows = [row({ role: 'boss', email: 'x' }), row({ role: '' })]
    expect(problemsOf([...rows].reverse()).map(problem => [problem.line, problem.column])).toEqual([
      [rows[0]!.line, 'email'],
      [rows[0]!.line, 'role'],
      [rows[1]!.line, 'role'],
    ])
  })
})

describe('the plan', () => {
  test('assigns everybody to their leader, for any order of lines', () => {
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
    const { plan } = planImport(rows, [knownPerson({ teamSize: 9 })])
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
  const anyFile = fc
    .array(anyRow, { maxLength: 40 })
    .map(rows => rows.map((fields, index) => ({ line: index + 2, ...fields })))
  const existingPeople = fc.uniqueArray(
    fc.record({
      id: fc.uuid(),
      name: fc.constant('Known'),
      email: fc.constantFrom(...'efghij').map(letter => `${letter}@example.org`),
      role: fc.constantFrom('user', 'supervisor', 'manager', 'director', 'admin'),
      teamSize: fc.integer({ min: 0, max: 10 }),
    }),
    { selector: person => person.id, maxLength: 8 },
  )

  test('exists only for a file without problems, and keeps every rule', () => {
    fc.assert(
      fc.property(anyFile, existingPeople, (rows, knownPeople) => {
        const { problems, plan } = planImport(rows, knownPeople as KnownPerson[])
        if (!plan) {
          expect(problems.length).toBeGreaterThan(0)
          for (const { line, message } of problems) expect(rows.some(row => row.line === line) && message).toBeTruthy()
          return
        }
        expect(problems).toEqual([])
        expect(plan.people).toHaveLength(rows.length)
        const emails = plan.people.map(person => person.email)
        expect(new Set(emails).size).toBe(emails.length)
        expect(knownPeople.filter(person => emails.includes(person.email))).toEqual([])
        const teamSizes = new Map<string, number>()
        for (const { role, supervisor, manager } of plan.people) {
          if (supervisor) expect(role).toBe('user')
          if (manager) expect(role).toBe('supervisor')
          const leader = supervisor ?? manager
          if (!leader) continue
          const leaderRole = supervisor ? 'supervisor' : 'manager'
          const leaderPerson =
            'id' in leader
              ? knownPeople.find(person => person.id === leader.id)
              : plan.people.find(person => person.email === leader.email)
          expect(leaderPerson?.role).toBe(leaderRole)
          const key = 'id' in leader ? leader.id : leader.email
          teamSizes.set(key, (teamSizes.get(key) ?? 0) + 1)
        }
        for (const person of plan.people) {
          expect(person.teamSize).toBe(teamSizes.get(person.email) ?? 0)
          if (person.role === 'supervisor') expect(person.teamSize).toBeLessThanOrEqual(10)
        }
        for (const person of knownPeople) {
          const seats = teamSizes.get(person.id) ?? 0
          expect(plan.seats.get(person.id)?.count ?? 0).toBe(seats)
          if (person.role === 'supervisor' && seats > 0) expect(person.teamSize + seats).toBeLessThanOrEqual(10)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('does not depend on the order of lines', () => {
    const shuffledOrder = fc
      .integer({ min: 1, max: 9 })
      .chain(size => fc.shuffledSubarray([...Array(size).keys()], { minLength: size }))
    fc.assert(
      fc.property(shuffledOrder, order => {
        const rows = order.map(index => row({ email: `u${index}@example.org`, supervisor_email: 's@example.org' }))
        const leaderIndex = order[0]! % (rows.length + 1)
        rows.splice(leaderIndex, 0, row({ email: 's@example.org', role: 'supervisor' }))
        const { plan } = planImport(rows, [])
        expect(plan!.people.find(person => person.email === 's@example.org')!.teamSize).toBe(order.length)
      }),
    )
  })

  test('each address of a file is listed once', () => {
    const rows = [
      row({ email: 'A@x.org', supervisor_email: 'b@x.org' }),
      row({ email: 'b@x.org', role: 'supervisor', manager_email: ' M@x.org' }),
    ]
    expect(emailsOf(rows)).toEqual(['a@x.org', 'b@x.org', 'm@x.org'])
  })
})
