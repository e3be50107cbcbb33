import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createTestWorld, type TestWorld } from '@watchline/testing/harness'
import { createAuthService } from '../../../services/auth/src/service.ts'
import { authConfig } from '../../../services/auth/test/_config.ts'
import { listTables, measureLists, wanted } from '../../src/bench/lists.ts'
import { organisationOf } from '../../src/bench/stored-people.ts'

describe('the organisation of the bench of lists', () => {
  const people = organisationOf(5_000)
  const of = (role: string) => people.filter(person => person.role === role)

  test('has a director in a thousand and teams of at most ten, whose sizes are told', () => {
    expect(of('director')).toHaveLength(5)
    expect(of('manager')).toHaveLength(20)
    const supervisors = of('supervisor')
    for (const { _id, team_size } of supervisors) {
      expect(team_size).toBe(people.filter(person => person.supervisor_id === _id).length)
      expect(team_size).toBeLessThanOrEqual(10)
    }
    const free = supervisors.filter(person => !person.manager_id).length / supervisors.length
    expect(free).toBeCloseTo(0.2)
    for (const { _id, team_size } of of('manager'))
      expect(team_size).toBe(supervisors.filter(person => person.manager_id === _id).length)
  })

  test('is the same each time, but for ids', () => {
    const told = (all: typeof people) => all.map(({ name, email, role, created_at }) => [name, email, role, created_at])
    expect(told(organisationOf(5_000))).toEqual(told(people))
  })
})

describe('the bench of lists', () => {
  let world: TestWorld
  beforeEach(async () => {
    world = await createTestWorld()
  })
  afterEach(() => world.close())

  test('asks for every list, and each is answered', async () => {
    const said: string[] = []
    const service = createAuthService(authConfig(world), world.ports)
    try {
      const figures = await measureLists(
        {
          prefix: world.name,
          client: world.database('auth').client,
          serverPids: {},
          token: person => world.token(person),
          startService: async () => ({ url: (await service.start()).url, pid: process.pid }),
        },
        { say: line => said.push(line), isInterrupted: () => false },
        { people: 600, entries: 300, requests: 10, connections: [1, 2], seconds: 0.05, rounds: 1 },
      )

      const failed = figures.calls.filter(each => each.spread.errors.max > 0 || !(each.spread.calls.min > 0))
      expect(failed).toEqual([])
      const shown = Object.fromEntries(figures.calls.map(each => [each.name, each.rows]))
      expect(shown).toMatchObject({
        'All Users': 100,
        Supervisors: 58,
        'Supervisors without a manager': 12,
        Managers: 2,
      })
      expect(shown).toMatchObject({ 'Supervisor Requests': 5, 'the audit log': 100 })
      const found = Object.fromEntries(figures.words.map(each => [each.word, each.found]))
      expect(found).toMatchObject({ example: 100, quillfeather: 1, 'example quill': 1, xyzzy: 0, 'anna xyzzy': 0 })
      const tables = listTables(figures)
      for (const name of [...Object.keys(shown), ...wanted]) expect(tables).toContain(`| ${name} |`)
    } finally {
      await service.stop()
    }
  })
})
