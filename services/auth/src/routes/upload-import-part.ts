import { uploadImportPart as operation } from '@watchline/contracts/people-imports'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentImport } from './presenters.ts'

export const uploadImportPart = defineRoute(operation, async ({ params, body }, { imports, clock }: AuthContext) => {
  const now = clock.now()
  const kept = await imports.savePart(params.id, params.part, body.text, now)
  if (kept) return { success: true as const, import: presentImport(kept) }
  const known = await imports.find(params.id, now)
  if (!known || params.part >= known.parts) fail('not_found')
  fail('conflict', { detail: 'This file is complete and has been checked. Choose the changed one again.' })
})
