import { z } from 'zod'
import { id, idParams, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'

const service = 'auth'

/** The columns of a file of people. The header line names them, in any order. */
export const importColumns = ['email', 'name', 'role', 'supervisor_email', 'manager_email'] as const

export const importProblem = z.object({
  /** The line number in the file; the header is line 1. */
  line: z.number().int().min(1),
  /** Null for a problem of the whole line. */
  column: z.enum(importColumns).nullable(),
  message: z.string(),
})
export type ImportProblem = z.infer<typeof importProblem>

export const peopleImport = z.object({
  id,
  file_name: z.string(),
  created_at: time,
  /**
   * `uploading` until all parts have arrived. `checking`, then `checked` or `refused`; a `checked`
   * file without problems can be applied. `applying`, then `applied`. `interrupted`: the work
   * stopped and changed nothing; check and apply the file again.
   */
  status: z.enum(['uploading', 'checking', 'checked', 'refused', 'applying', 'applied', 'interrupted']),
  /** The number of processed lines, and of all lines. */
  progress: z.object({ done: z.number().int(), total: z.number().int() }),
  /** The number of people by role that the import will create or has created. */
  counts: z.object({
    user: z.number().int(),
    supervisor: z.number().int(),
    manager: z.number().int(),
    director: z.number().int(),
  }),
  problem_count: z.number().int(),
  problems: z.array(importProblem).max(limits.importMaxProblems),
})
export type PeopleImport = z.infer<typeof peopleImport>

const importResponse = z.object({ success: z.literal(true), import: peopleImport })

export const createImport = defineOperation({
  name: 'createImport',
  service,
  method: 'POST',
  path: '/admin/imports',
  callers: ['admin'],
  summary: 'Starts an import of people from a CSV file. The file follows in parts.',
  body: z.object({
    file_name: text(limits.titleMaxLength, 1),
    parts: z.number().int().min(1).max(limits.importMaxParts, 'The file is too large'),
  }),
  response: importResponse,
  status: 201,
  errors: ['forbidden', 'invalid', 'too_many'],
})

export const uploadImportPart = defineOperation({
  name: 'uploadImportPart',
  service,
  method: 'PUT',
  path: '/admin/imports/{id}/parts/{part}',
  callers: ['admin'],
  summary:
    'Uploads a part of the file’s text, counted from 0. A repeated part replaces the first, until the file is checked.',
  params: z.object({
    id,
    part: z.coerce
      .number()
      .int()
      .min(0)
      .max(limits.importMaxParts - 1),
  }),
  body: z.object({
    text: z
      .string()
      .min(1)
      .max(limits.importPartCharacters)
      .refine(part => part.isWellFormed(), 'cuts a character in two'),
  }),
  response: importResponse,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

/** These calls start work in the background; clients poll the import. */
const backgroundOperation = {
  service,
  method: 'POST',
  callers: ['admin'],
  params: idParams,
  body: z.object({}),
  bodyOptional: true,
  response: importResponse,
  status: 202,
  errors: ['forbidden', 'not_found', 'conflict'],
} as const

export const checkImport = defineOperation({
  ...backgroundOperation,
  name: 'checkImport',
  path: '/admin/imports/{id}/check',
  summary:
    'Starts a dry run that looks for problems in every line of the file and changes nothing. Poll the import for the result.',
})

export const applyImport = defineOperation({
  ...backgroundOperation,
  name: 'applyImport',
  path: '/admin/imports/{id}/apply',
  summary:
    'Starts to create the people of a checked file without problems: all of them, or nobody if anything changed meanwhile. Poll the import for the result.',
})

export const getImport = defineOperation({
  name: 'getImport',
  service,
  method: 'GET',
  path: '/admin/imports/{id}',
  callers: ['admin'],
  summary: 'The progress of an import and the problems in its file.',
  params: idParams,
  response: peopleImport,
  errors: ['forbidden', 'not_found'],
})
