import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { operations } from '@watchline/contracts/operations'
import { calls } from './_calls.ts'
import { cells, columns } from './_table.ts'
import { type RightsWorld, startRightsWorld } from './_world.ts'

const rows = Map.groupBy(cells, cell => `${cell.operation} (${cell.whose})`)

let world: RightsWorld

beforeAll(async () => {
  world = await startRightsWorld()
})
afterAll(() => world?.stop())

describe('the table of rights', () => {
  test('holds every operation, and no other', () => {
    expect([...new Set(cells.map(cell => cell.operation))].sort()).toEqual(
      operations.map(operation => operation.name).sort(),
    )
    expect(Object.keys(calls).sort()).toEqual(operations.map(operation => operation.name).sort())
  })

  test('refuses every caller that the contract excludes, with 401 without a session and 403 otherwise', () => {
    for (const { operation, column, status } of cells) {
      const { callers } = operations.find(({ name }) => name === operation)!
      const allowed =
        callers === 'anyone' || (column !== 'nobody' && (callers === 'signed-in' || callers.includes(column)))
      const refused = callers === 'anyone' ? undefined : column === 'nobody' ? 401 : 403
      if (!allowed) expect([operation, column, status]).toEqual([operation, column, refused])
    }
  })

  test.each([...rows])('%s', async (_name, row) => {
    const statuses: Record<string, number> = {}
    for (const { operation, whose, column } of row) {
      const { service, method, path } = operations.find(({ name }) => name === operation)!
      const caller = world.member(column)
      const chain = whose === 'foreign' ? world.foreign : world.own
      const { params = {}, query, body, sid } = await calls[operation]!({ world, whose, column, caller, chain })
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]!))
      const answer = await world.callAs(caller, sid)(
        service,
        method,
        query ? `${filled}?${new URLSearchParams(query)}` : filled,
        body,
      )
      statuses[column] = answer.status
    }
    expect(statuses).toEqual(Object.fromEntries(columns.map((column, index) => [column, row[index]!.status])))
  })
})
