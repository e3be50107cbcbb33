import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { operations } from '@watchline/contracts/operations'
import { calls } from './_calls.ts'
import { cells, columns } from './_table.ts'
import { type RightsWorld, startRightsWorld } from './_world.ts'

const declared = operations
const rows = Map.groupBy(cells, cell => `${cell.operation} (${cell.whose})`)

let world: RightsWorld

beforeAll(async () => {
  world = await startRightsWorld()
}, 120_000)
afterAll(() => world?.stop())

describe('the table of rights', () => {
  test('holds every operation, and no other', () => {
    expect([...new Set(cells.map(cell => cell.operation))].sort()).toEqual(declared.map(each => each.name).sort())
    expect(Object.keys(calls).sort()).toEqual(declared.map(each => each.name).sort())
  })

  test('lets through nobody whom the contract keeps out, and asks everybody else for a session', () => {
    for (const { operation, column, status } of cells) {
      const { callers } = declared.find(each => each.name === operation)!
      const allowed =
        callers === 'anyone' || (column !== 'nobody' && (callers === 'signed-in' || callers.includes(column)))
      const refused = callers === 'anyone' ? undefined : column === 'nobody' ? 401 : 403
      if (!allowed) expect([operation, column, status]).toEqual([operation, column, refused])
    }
  })

  test.each([...rows])('%s', async (_name, row) => {
    const got: Record<string, number> = {}
    for (const { operation, whose, column } of row) {
      const { service, method, path } = declared.find(each => each.name === operation)!
      const me = world.member(column)
      const chain = whose === 'foreign' ? world.foreign : world.own
      const { params = {}, query, body, sid } = await calls[operation]!({ world, whose, column, me, chain })
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]!))
      const answer = await world.as(me, sid)(
        service,
        method,
        query ? `${filled}?${new URLSearchParams(query)}` : filled,
        body,
      )
      got[column] = answer.status
    }
    expect(got).toEqual(Object.fromEntries(columns.map((column, index) => [column, row[index]!.status])))
  })
})
