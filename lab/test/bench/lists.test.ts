import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createTestWorld, type TestWorld } from '@watchline/testing/harness'
import { createAuthService } from '../../../services/auth/src/service.ts'
import { authConfig } from '../../../services/auth/test/_config.ts'
import { listTables, measureLists, searches } from '../../src/bench/lists/measure-lists.ts'
import { createStoredPeople } from '../../src/bench/lists/stored-people.ts'

describe('the organisation of the list bench', () => {
  const people = createStoredPeople(5_000)
  const withRole = (role: string) => people.filter(person => person.role === role)

  test('has one director in 1,000 and teams of at most ten, with their sizes', () => {
    expect(withRole('director')).toHaveLength(5)
    expect(withRole('manager')).toHaveLength(20)
    const supervisors = withRole('supervisor')
    for (const { _id, team_size } of supervisors) {
      expect(team_size).toBe(people.filter(person => person.supervisor_id === _id).length)
      expect(team_size).toBeLessThanOrEqual(10)
    }
    const shareWithoutManager = supervisors.filter(person => !person.manager_id).length / supervisors.length
    expect(shareWithoutManager).toBeCloseTo(0.2)
    for (const { _id, team_size } of withRole('manager'))
      expect(team_size).toBe(supervisors.filter(person => person.manager_id === _id).length)
  })

  test('is the same each time, except for ids', () => {
    const withoutIds = (organisation: typeof people) =>
      organisation.map(({ name, email, role, created_at }) => [name, email, role, created_at])
    expect(withoutIds(createStoredPeople(5_000))).toEqual(withoutIds(people))
  })
})

describe('the list bench', () => {
  let world: TestWorld
  beforeEach(async () => {
    world = await createTestWorld()
  })
  afterEach(() => world.close())

  test('measures every list and search without an error', async () => {
    const service = createAuthService(authConfig(world), world.ports)
    try {
      const figures = await measureLists(
        {
          prefix: world.config.databasePrefix,
          client: world.database('auth').client,
          serverPids: {},
          signToken: person => world.token(person),
          startService: async () => ({ url: (await service.start()).url, pid: process.pid }),
        },
        { log: () => {}, isInterrupted: () => false },
        { people: 600, entries: 300, requests: 10, connections: [1, 2], seconds: 0.05, rounds: 1 },
      )

      const failed = figures.lists.filter(({ spread }) => spread.errors.max > 0 || !(spread.calls.min > 0))
      expect(failed).toEqual([])
      const rowCounts = Object.fromEntries(figures.lists.map(({ name, rows }) => [name, rows]))
      expect(rowCounts).toMatchObject({
        'All Users': 100,
        Supervisors: 58,
        'Supervisors without a manager': 12,
        Managers: 2,
      })
      expect(rowCounts).toMatchObject({ 'Supervisor Requests': 5, 'the audit log': 100 })
      const foundCounts = Object.fromEntries(figures.searches.map(({ search, found }) => [search, found]))
      expect(foundCounts).toMatchObject({
        example: 100,
        quillfeather: 1,
        'example quill': 1,
        xyzzy: 0,
        'anna xyzzy': 0,
      })
      const tables = listTables(figures)
      for (const name of [...Object.keys(rowCounts), ...searches]) expect(tables).toContain(`| ${name} |`)
    } finally {
      await service.stop()
    }
  })
})
