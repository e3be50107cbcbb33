import { z } from 'zod'
import { byId, id, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'

const service = 'auth'

/** The columns of a file of people, in any order; the header line names them. */
export const importColumns = ['email', 'name', 'role', 'supervisor_email', 'manager_email'] as const

export const importProblem = z.object({
  /** The line in the file, the header being 1. */
  line: z.number().int().min(1),
  /** null when it is about the whole line. */
  column: z.enum(importColumns).nullable(),
  message: z.string(),
})
export type ImportProblem = z.infer<typeof importProblem>

export const peopleImport = z.object({
  id,
  file_name: z.string(),
  created_at: time,
  /**
   * `uploading` until all parts are there; `checking`, then `checked` (ready, when there are no problems) or `refused`; `applying`,
   * then `applied`. An import that broke off in the middle has done nothing and is `interrupted`: it can be checked and applied again.
   */
  status: z.enum(['uploading', 'checking', 'checked', 'refused', 'applying', 'applied', 'interrupted']),
  /** Lines worked on, of all. */
  progress: z.object({ done: z.number().int(), total: z.number().int() }),
  /** The people whom the import would create, or created. */
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

const imported = z.object({ success: z.literal(true), import: peopleImport })

export const createImport = defineOperation({
  name: 'createImport',
  service,
  method: 'POST',
  path: '/admin/imports',
  who: ['admin'],
  summary: 'Begins an import of people from a CSV file, which follows in parts.',
  body: z.object({
    file_name: text(limits.titleMaxLength, 1),
    parts: z.number().int().min(1).max(limits.importMaxParts, 'The file is too large'),
  }),
  response: imported,
  status: 201,
  errors: ['forbidden', 'invalid'],
})

export const uploadImportPart = defineOperation({
  name: 'uploadImportPart',
  service,
  method: 'PUT',
  path: '/admin/imports/{id}/parts/{part}',
  who: ['admin'],
  summary: 'A part of the file’s text, counted from 0. Sending one again replaces it, until the file is checked.',
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
  response: imported,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

/** These calls start a background run; clients poll the import. */
const begun = {
  service,
  method: 'POST',
  who: ['admin'],
  params: byId,
  body: z.object({}),
  bodyOptional: true,
  response: imported,
  status: 202,
  errors: ['forbidden', 'not_found', 'conflict'],
} as const

export const checkImport = defineOperation({
  ...begun,
  name: 'checkImport',
  path: '/admin/imports/{id}/check',
  summary:
    'The dry run: begins to look for every problem of the file, line by line, and changes nothing. Poll the import.',
})

export const applyImport = defineOperation({
  ...begun,
  name: 'applyImport',
  path: '/admin/imports/{id}/apply',
  summary:
    'Begins to bring in everybody of a checked file without problems: all of them or, if anything changed meanwhile, nobody.',
})

export const getImport = defineOperation({
  name: 'getImport',
  service,
  method: 'GET',
  path: '/admin/imports/{id}',
  who: ['admin'],
  summary: 'How far an import is, and what is wrong with its file.',
  params: byId,
  response: peopleImport,
  errors: ['forbidden', 'not_found'],
})
