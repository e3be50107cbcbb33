import { applyImport as operation } from '@watchline/contracts/people-imports'
import { defineRoute } from '@watchline/kit/http/route'
import { startImportRun } from '../actions/start-import-run.ts'
import type { AuthContext } from '../context.ts'
import { presentImport } from './presenters.ts'

export const applyImport = defineRoute(operation, async ({ params, person }, ctx: AuthContext) => {
  const { state, isNew } = await startImportRun(ctx, params.id, 'apply')
  if (isNew) ctx.importRunner.apply(state, { id: person.id, name: person.name })
  return { success: true as const, import: presentImport(state) }
})
