import { uploadImportPart as operation } from '@watchline/contracts/people-imports'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentImport } from './presenters.ts'

export const uploadImportPart = defineRoute(operation, async ({ params, body }, { imports, clock }: AuthContext) => {
  const now = clock.now()
  const saved = await imports.savePart(params.id, params.part, body.text, now)
  if (saved) return { success: true as const, import: presentImport(saved) }
  const current = await imports.find(params.id, now)
  if (!current || params.part >= current.parts) fail('not_found')
  fail('conflict', { detail: 'This file has already been checked. To upload a changed file, choose it again.' })
})
