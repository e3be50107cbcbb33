import { checkImport as operation } from '@watchline/contracts/people-imports'
import { defineRoute } from '@watchline/kit/http/route'
import { beginImport } from '../actions/begin-import.ts'
import type { AuthContext } from '../context.ts'
import { presentImport } from './presenters.ts'

export const checkImport = defineRoute(operation, async ({ params }, ctx: AuthContext) => {
  const { state, begun } = await beginImport(ctx, params.id, 'check')
  if (begun) ctx.importRunner.check(state)
  return { success: true as const, import: presentImport(state) }
})
