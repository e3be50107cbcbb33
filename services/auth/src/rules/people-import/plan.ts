import { limits } from '@watchline/contracts/limits'
import type { AssignableRole, Role } from '@watchline/contracts/people'
import type { ImportProblem, PeopleImport } from '@watchline/contracts/people-imports'
import { nameFromEmail } from '../account.ts'
import { findCycles } from './cycles.ts'
import {
  columnTitles,
  findCellProblems,
  type ImportColumn,
  type ImportRow,
  isEmail,
  normalizeCell,
  printable,
  roleOf,
  sortProblems,
} from './rows.ts'

/** An existing person with an address from the file. */
export interface KnownPerson {
  id: string
  name: string
  email: string
  role: Role
  teamSize: number
  /** False if the sign-in provider has not verified the address. */
  emailVerified?: boolean
}

/** An existing person by id, or another person of the file by email address. */
export type Leader = { id: string } | { email: string }

export interface PlannedPerson {
  email: string
  name: string
  role: AssignableRole
  supervisor: Leader | null
  manager: Leader | null
  /** The number of people of the file directly under this one. */
  teamSize: number
}

export interface ImportPlan {
  people: PlannedPerson[]
  /** The number of seats that the import takes under existing leaders, by their ids. */
  seats: Map<string, { role: LeadingRole; count: number }>
  counts: PeopleImport['counts']
}

type LeadingRole = 'supervisor' | 'manager'
export type ImportVerdict = { problems: ImportProblem[]; plan?: undefined } | { problems: []; plan: ImportPlan }

/** The column that names a role's leader, and the leader's role. */
const leaderColumns = {
  user: { column: 'supervisor_email', leader: 'supervisor' },
  supervisor: { column: 'manager_email', leader: 'manager' },
} as const
const roleOfColumn = { supervisor_email: 'user', manager_email: 'supervisor' } as const

/**
 * The problems of a file's people, or the plan to create them. `knownPeople` are the existing
 * people with any address in the file. They can change, so applying a plan plans again in its
 * transaction.
 */
export function planImport(rows: readonly ImportRow[], knownPeople: readonly KnownPerson[]): ImportVerdict {
  const problems = rows.flatMap(findCellProblems)
  const addProblem = (row: ImportRow, column: ImportColumn, message: string) =>
    problems.push({ line: row.line, column, message })
  const knownByEmail = Map.groupBy(knownPeople, person => person.email)
  const rowsByEmail = new Map<string, ImportRow>()

  for (const row of rows) {
    const email = normalizeCell(row.email)
    if (!email) continue
    const first = rowsByEmail.get(email)
    if (first) addProblem(row, 'email', `${printable(email)} is in the file twice: line ${first.line} has it, too.`)
    else rowsByEmail.set(email, row)
    for (const person of knownByEmail.get(email) ?? [])
      addProblem(
        row,
        'email',
        `${printable(email)} is already here: ${printable(person.name)}, ${roleTitle(person.role)}${
          person.emailVerified === false ? ', who may not own this address (unverified)' : ''
        }.`,
      )
  }

  const cycles = findCycles(rowsByEmail)
  const plan: ImportPlan = {
    people: [],
    seats: new Map(),
    counts: { user: 0, supervisor: 0, manager: 0, director: 0 },
  }
  /** The number of people of the file under each leader, by the leader's id or email address. */
  const teamSizes = new Map<string, number>()

  /** The leader that a row names; undefined, with the problem added, if they cannot lead it. */
  function findLeader(
    row: ImportRow,
    column: ImportColumn,
    role: LeadingRole,
  ): { leader: Leader; name: string; size: number } | undefined {
    const email = normalizeCell(row[column])
    if (!email || !isEmail(email)) return undefined
    if (email === normalizeCell(row.email)) {
      addProblem(row, column, `${printable(email)} cannot be under themself.`)
      return undefined
    }
    const cycle = cycles.get(row)
    if (cycle) {
      addProblem(row, column, cycle)
      return undefined
    }
    const matches = knownByEmail.get(email) ?? []
    const candidates = matches.filter(person => person.role === role)
    if (candidates.length > 1)
      addProblem(row, column, `${printable(email)} is the address of more than one ${role} here.`)
    if (candidates.length > 0) {
      const [{ id, name, teamSize }] = candidates as [KnownPerson]
      return candidates.length === 1 ? { leader: { id }, name, size: teamSize } : undefined
    }
    const leaderRow = rowsByEmail.get(email)
    if (leaderRow && roleOf(leaderRow) === role && matches.length === 0)
      return { leader: { email }, name: email, size: 0 }
    if (matches.length === 0 && !leaderRow)
      addProblem(row, column, `Nobody here or in the file has the address ${printable(email)}.`)
    else addProblem(row, column, `${printable(email)} is not a ${role}.`)
    return undefined
  }

  for (const row of rows) {
    const role = roleOf(row)
    if (!role) continue
    const email = normalizeCell(row.email)
    const allowed = role === 'user' || role === 'supervisor' ? leaderColumns[role] : undefined
    for (const column of ['supervisor_email', 'manager_email'] as const) {
      if (!normalizeCell(row[column]) || allowed?.column === column) continue
      addProblem(row, column, `${columnTitles[column]} is only for the role ${roleOfColumn[column]}, not for ${role}.`)
    }
    const found = allowed && findLeader(row, allowed.column, allowed.leader)
    if (allowed && found) {
      const key = 'id' in found.leader ? found.leader.id : found.leader.email
      const seats = (teamSizes.get(key) ?? 0) + 1
      const size = found.size + seats
      teamSizes.set(key, seats)
      if (allowed.leader === 'supervisor' && size > limits.supervisorCapacity)
        addProblem(
          row,
          allowed.column,
          `${printable(found.name)} would have ${size} users; a supervisor has at most ${limits.supervisorCapacity}.`,
        )
      if ('id' in found.leader) plan.seats.set(key, { role: allowed.leader, count: seats })
    }
    plan.counts[role] += 1
    plan.people.push({
      email,
      name: row.name.trim() || nameFromEmail(email),
      role,
      supervisor: role === 'user' ? (found?.leader ?? null) : null,
      manager: role === 'supervisor' ? (found?.leader ?? null) : null,
      teamSize: 0,
    })
  }
  if (problems.length > 0) return { problems: sortProblems(problems) }
  for (const person of plan.people) person.teamSize = teamSizes.get(person.email) ?? 0
  return { problems: [], plan }
}

function roleTitle(role: Role): string {
  return role === 'admin' ? 'an administrator' : `a ${role}`
}
