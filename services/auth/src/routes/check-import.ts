import { checkImport as operation } from '@watchline/contracts/people-imports'
import { defineRoute } from '@watchline/kit/http/route'
import { startImportRun } from '../actions/start-import-run.ts'
import type { AuthContext } from '../context.ts'
import { presentImport } from './presenters.ts'

export const checkImport = defineRoute(operation, async ({ params }, ctx: AuthContext) => {
  const { state, isNew } = await startImportRun(ctx, params.id, 'check')
  if (isNew) ctx.importRunner.check(state)
  return { success: true as const, import: presentImport(state) }
})
