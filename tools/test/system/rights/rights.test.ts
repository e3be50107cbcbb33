import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { operations } from '@watchline/contracts/operations'
import { type Call, calls } from './_calls.ts'
import { type Column, cells, columns } from './_table.ts'
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
    for (const { operation, column, status } of cells)
      if (!isAdmitted(operation, column))
        expect([operation, column, status]).toEqual([operation, column, column === 'nobody' ? 401 : 403])
  })

  test.each([...rows])('%s', async (_name, row) => {
    const { operation, whose } = row[0]!
    const { service, method, path } = findOperation(operation)
    const chain = whose === 'foreign' ? world.foreign : world.own
    const prepare = (column: Column) => calls[operation]!({ world, whose, column, caller: world.member(column), chain })
    const readStatus = async (column: Column, { params = {}, query, body, sid }: Call) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]!))
      const address = query ? `${filled}?${new URLSearchParams(query)}` : filled
      const { status } = await world.callAs(world.member(column), sid)(service, method, address, body)
      return status
    }
    // Excluded callers change nothing, so they try the call of the first admitted caller before it.
    const isShared = (column: Column) => whose !== 'self' && !isAdmitted(operation, column)
    const [first, ...others] = columns.filter(column => !isShared(column))
    const call = await prepare(first!)
    const statuses: Partial<Record<Column, number>> = {}
    for (const column of [...columns.filter(isShared), first!]) statuses[column] = await readStatus(column, call)
    for (const column of others) statuses[column] = await readStatus(column, await prepare(column))
    expect(statuses).toEqual(Object.fromEntries(row.map(({ column, status }) => [column, status])))
  })
})

function findOperation(name: string) {
  return operations.find(operation => operation.name === name)!
}

/** Whether the contract lets this caller use the operation. */
function isAdmitted(operation: string, column: Column): boolean {
  const { callers } = findOperation(operation)
  return callers === 'anyone' || (column !== 'nobody' && (callers === 'signed-in' || callers.includes(column)))
}
