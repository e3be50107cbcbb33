import { csvText } from '@watchline/contracts/csv'
import { limits } from '@watchline/contracts/limits'
import { importColumns } from '@watchline/contracts/people-imports'

interface ColumnDescription {
  column: (typeof importColumns)[number]
  requirement: 'required' | 'optional'
  description: string
}

export const columnDescriptions: readonly ColumnDescription[] = [
  {
    column: 'email',
    requirement: 'required',
    description: 'The address they sign in with. It must not be in use yet.',
  },
  { column: 'name', requirement: 'optional', description: 'Without one, the name is made from the email.' },
  { column: 'role', requirement: 'required', description: 'user, supervisor, manager or director.' },
  {
    column: 'supervisor_email',
    requirement: 'optional',
    description: `For a user: their supervisor, somebody here or in the file. A supervisor has at most ${limits.supervisorCapacity} users.`,
  },
  {
    column: 'manager_email',
    requirement: 'optional',
    description: 'For a supervisor: their manager, somebody here or in the file.',
  },
]

/** One person of each role, below the column names. */
export const exampleRows: readonly (readonly string[])[] = [
  importColumns,
  ['manager1@example.org', 'Manager 1', 'manager', '', ''],
  ['supervisor1@example.org', 'Supervisor 1', 'supervisor', '', 'manager1@example.org'],
  ['trainee1@example.org', 'Trainee 1', 'user', 'supervisor1@example.org', ''],
  ['director1@example.org', 'Director 1', 'director', '', ''],
]

export const templateText = csvText(exampleRows)
