import { createImport as operation } from '@watchline/contracts/people-imports'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentImport } from './presenters.ts'

export const createImport = defineRoute(operation, async ({ body }, { imports, clock }: AuthContext) => {
  const created = await imports.create(body.file_name, body.parts, clock.now())
  return { success: true as const, import: presentImport(created) }
})
