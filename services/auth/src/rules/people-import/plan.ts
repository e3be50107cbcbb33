import { limits } from '@watchline/contracts/limits'
import { type AssignableRole, assignableRole, email as emailRule, type Role } from '@watchline/contracts/people'
import type { ImportProblem, PeopleImport } from '@watchline/contracts/people-imports'
import { nameFromEmail } from '../account.ts'

export type ImportColumn = NonNullable<ImportProblem['column']>

/** One person of the file, as written there: the line they begin on, and their cells; '' where the file has no such column. */
export interface ImportRow extends Record<ImportColumn, string> {
  line: number
}

/** Somebody who is here already and whom the file names. */
export interface KnownPerson {
  id: string
  name: string
  email: string
  role: Role
  teamSize: number
}

/** Whom somebody is put under: a person who is here, or another of the file, by e-mail. */
export type Leader = { id: string } | { email: string }

export interface PlannedPerson {
  email: string
  name: string
  role: AssignableRole
  supervisor: Leader | null
  manager: Leader | null
  /** How many of the file are put under them. */
  teamSize: number
}

export interface ImportPlan {
  people: PlannedPerson[]
  /** How many are put under people who are here, by id. */
  places: Map<string, { role: LeadingRole; count: number }>
  counts: PeopleImport['counts']
}

type LeadingRole = 'supervisor' | 'manager'
export type ImportVerdict = { problems: ImportProblem[]; plan?: undefined } | { problems: []; plan: ImportPlan }

const columns: readonly ImportColumn[] = ['email', 'name', 'role', 'supervisor_email', 'manager_email']
const called: Record<ImportColumn, string> = {
  email: 'The e-mail',
  name: 'The name',
  role: 'The role',
  supervisor_email: 'The supervisor e-mail',
  manager_email: 'The manager e-mail',
}
/** Which role is put under which, and by which column. */
const under = {
  user: { column: 'supervisor_email', leader: 'supervisor' },
  supervisor: { column: 'manager_email', leader: 'manager' },
} as const
const onlyFor = { supervisor_email: 'user', manager_email: 'supervisor' } as const
const maxShown = 60

/** Everybody whom a file may name, once each. */
export function emailsOf(rows: readonly ImportRow[]): string[] {
  return [...new Set(rows.flatMap(row => [row.email, row.supervisor_email, row.manager_email].map(keyOf)))].filter(
    Boolean,
  )
}

/**
 * What is wrong with a file's people, by line; or who they become. `known` are those who are here under any of the file's addresses.
 * Pure: nothing is promised for later, so whoever applies the plan asks again in the same transaction.
 */
export function planImport(rows: readonly ImportRow[], known: readonly KnownPerson[]): ImportVerdict {
  const problems = rows.flatMap(fieldProblems)
  const tell = (row: ImportRow, column: ImportColumn, message: string) =>
    problems.push({ line: row.line, column, message })
  const here = Map.groupBy(known, person => person.email)
  const inFile = new Map<string, ImportRow>()

  for (const row of rows) {
    const email = keyOf(row.email)
    if (!email) continue
    const first = inFile.get(email)
    if (first) tell(row, 'email', `${printable(email)} is in the file twice: line ${first.line} has it, too.`)
    else inFile.set(email, row)
    for (const person of here.get(email) ?? [])
      tell(row, 'email', `${printable(email)} is already here: ${printable(person.name)}, ${asWhat(person.role)}.`)
  }

  const circles = circlesOf(inFile)
  const plan: ImportPlan = {
    people: [],
    places: new Map(),
    counts: { user: 0, supervisor: 0, manager: 0, director: 0 },
  }
  const taken = new Map<string, number>()

  /** The leader a row names, if they can be one; what is wrong with it is told. */
  function leaderOf(
    row: ImportRow,
    column: ImportColumn,
    role: LeadingRole,
  ): { leader: Leader; name: string; size: number } | undefined {
    const email = keyOf(row[column])
    if (!email || !isEmail(email)) return undefined
    if (email === keyOf(row.email)) {
      tell(row, column, `${printable(email)} cannot be under themself.`)
      return undefined
    }
    const circle = circles.get(row)
    if (circle) {
      tell(row, column, circle)
      return undefined
    }
    const candidates = here.get(email) ?? []
    const fitting = candidates.filter(person => person.role === role)
    if (fitting.length > 1) tell(row, column, `${printable(email)} is the address of more than one ${role} here.`)
    if (fitting.length > 0) {
      const [{ id, name, teamSize }] = fitting as [KnownPerson]
      return fitting.length === 1 ? { leader: { id }, name, size: teamSize } : undefined
    }
    const written = inFile.get(email)
    if (written && roleOf(written) === role && candidates.length === 0)
      return { leader: { email }, name: email, size: 0 }
    if (candidates.length === 0 && !written)
      tell(row, column, `Nobody here or in the file has the address ${printable(email)}.`)
    else tell(row, column, `${printable(email)} is not a ${role}.`)
    return undefined
  }

  for (const row of rows) {
    const role = roleOf(row)
    if (!role) continue
    const email = keyOf(row.email)
    const place = role === 'user' || role === 'supervisor' ? under[role] : undefined
    for (const column of ['supervisor_email', 'manager_email'] as const) {
      if (!keyOf(row[column]) || place?.column === column) continue
      tell(row, column, `${called[column]} is only for the role ${onlyFor[column]}, not for ${role}.`)
    }
    const found = place && leaderOf(row, place.column, place.leader)
    if (place && found) {
      const key = 'id' in found.leader ? found.leader.id : found.leader.email
      const size = found.size + (taken.get(key) ?? 0) + 1
      taken.set(key, size - found.size)
      if (place.leader === 'supervisor' && size > limits.supervisorCapacity)
        tell(
          row,
          place.column,
          `${printable(found.name)} would have ${size} users; a supervisor has at most ${limits.supervisorCapacity}.`,
        )
      if ('id' in found.leader) plan.places.set(key, { role: place.leader, count: size - found.size })
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
  for (const person of plan.people) person.teamSize = taken.get(person.email) ?? 0
  return { problems: [], plan }
}

/** By line, then as the columns are listed; what is about a whole line first. */
export function sortProblems(problems: ImportProblem[]): ImportProblem[] {
  const rank = ({ column }: ImportProblem) => (column === null ? -1 : columns.indexOf(column))
  return problems.sort((a, b) => a.line - b.line || rank(a) - rank(b))
}

/** What a piece of a file may be shown as in a message: short, on one line. */
export function printable(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  return line.length > maxShown ? `${line.slice(0, maxShown - 1)}…` : line
}

/** What bytes of another encoding turn into when they are read as UTF-8. */
export function hasDecodingErrors(cell: string): boolean {
  return cell.includes('\uFFFD') || cell.includes('\0')
}

function keyOf(cell: string): string {
  return cell.trim().toLowerCase()
}

function isEmail(email: string): boolean {
  return emailRule.safeParse(email).success
}

function roleOf(row: ImportRow): AssignableRole | undefined {
  return assignableRole.safeParse(keyOf(row.role)).data
}

function asWhat(role: Role): string {
  return role === 'admin' ? 'an administrator' : `a ${role}`
}

/** What can be said of a line without looking at any other; one problem a cell. */
function fieldProblems(row: ImportRow): ImportProblem[] {
  return columns.flatMap(column => {
    const message = cellProblem(row, column)
    return message ? [{ line: row.line, column, message }] : []
  })
}

function cellProblem(row: ImportRow, column: ImportColumn): string | undefined {
  const cell = row[column]
  const value = cell.trim()
  const name = called[column]
  if (hasDecodingErrors(cell)) return `${name} is not UTF-8 text.`
  // A spreadsheet that opens a list of our people would run it.
  if (/^[=+\-@\t\r]/.test(cell) || /^[=+\-@]/.test(value)) return `${name} begins like a formula: ${printable(cell)}`
  if (/\p{Cc}/u.test(cell)) return `${name} has characters that cannot be shown.`
  if (!value) return column === 'email' || column === 'role' ? `${name} is missing.` : undefined
  if (column === 'name')
    return value.length > limits.nameMaxLength ? `${name} has more than ${limits.nameMaxLength} characters.` : undefined
  if (column === 'role') {
    if (keyOf(value) === 'admin') return 'The role admin cannot be given.'
    return roleOf(row) ? undefined : `${printable(value)} is not a role: user, supervisor, manager or director.`
  }
  if (value.length > limits.emailMaxLength) return `${name} has more than ${limits.emailMaxLength} characters.`
  return isEmail(value) ? undefined : `${printable(value)} is not an e-mail address.`
}

/**
 * Those who are under themselves by way of others, with the words for it. Each is under one person at most (who names two is told
 * so anyway), so that from anywhere one follows a single line.
 */
function circlesOf(inFile: ReadonlyMap<string, ImportRow>): Map<ImportRow, string> {
  const circles = new Map<ImportRow, string>()
  const visited = new Map<ImportRow, ImportRow>()
  const next = (row: ImportRow) => inFile.get(keyOf(leaderCell(row)))
  for (const start of inFile.values()) {
    let row: ImportRow | undefined = start
    while (row && !visited.has(row)) {
      visited.set(row, start)
      row = next(row)
    }
    // Met on this very way: from here on it is a circle. Who names themself is told in words of their own.
    if (!row || visited.get(row) !== start || circles.has(row) || next(row) === row) continue
    const members = [row]
    for (let each = next(row)!; each !== row; each = next(each)!) members.push(each)
    for (const [at, member] of members.entries())
      circles.set(member, circleWords([...members.slice(at), ...members.slice(0, at)]))
  }
  return circles
}

function leaderCell(row: ImportRow): string {
  return roleOf(row) === 'supervisor'
    ? row.manager_email || row.supervisor_email
    : row.supervisor_email || row.manager_email
}

function circleWords(members: readonly ImportRow[]): string {
  const names = members.map(({ email }) => printable(keyOf(email)))
  const way = names.length > 4 ? [...names.slice(0, 3), '…'] : names
  return `This makes a circle: ${[...way, names[0]].join(' is under ')}.`
}
