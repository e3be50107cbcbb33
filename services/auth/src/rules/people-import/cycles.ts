import { type ImportRow, normalizeCell, printable, roleOf } from './rows.ts'

const maxNames = 4

/**
 * The rows of people who are their own leader through others, each with its problem message. Every
 * row names at most one leader here, so a walk from leader to leader never branches.
 */
export function findCycles(rowsByEmail: ReadonlyMap<string, ImportRow>): Map<ImportRow, string> {
  const cycles = new Map<ImportRow, string>()
  /** The first row of the walk that visited a row. */
  const visitedFrom = new Map<ImportRow, ImportRow>()
  const leaderOf = (row: ImportRow) => rowsByEmail.get(normalizeCell(leaderCell(row)))
  for (const start of rowsByEmail.values()) {
    let row: ImportRow | undefined = start
    while (row && !visitedFrom.has(row)) {
      visitedFrom.set(row, start)
      row = leaderOf(row)
    }
    // Only a row visited by this same walk closes a cycle. A row that names itself has its own
    // message.
    if (!row || visitedFrom.get(row) !== start || cycles.has(row) || leaderOf(row) === row) continue
    const members = [row]
    for (let member = leaderOf(row)!; member !== row; member = leaderOf(member)!) members.push(member)
    for (const [index, member] of members.entries())
      cycles.set(member, describeCycle([...members.slice(index), ...members.slice(0, index)]))
  }
  return cycles
}

function leaderCell(row: ImportRow): string {
  return roleOf(row) === 'supervisor'
    ? row.manager_email || row.supervisor_email
    : row.supervisor_email || row.manager_email
}

function describeCycle(members: readonly ImportRow[]): string {
  const names = members.map(({ email }) => printable(normalizeCell(email)))
  const path = names.length > maxNames ? [...names.slice(0, maxNames - 1), '…'] : names
  return `This makes a circle: ${[...path, names[0]].join(' is under ')}.`
}
