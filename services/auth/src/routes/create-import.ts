import { limits } from '@watchline/contracts/limits'
import { createImport as operation } from '@watchline/contracts/people-imports'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentImport } from './presenters.ts'

const importLimit = {
  max: limits.importRateLimit,
  windowMs: limits.importRateWindowMs,
  detail: 'You have begun very many imports in a short time. Please wait an hour, then try again.',
}

export const createImport = defineRoute(operation, async ({ body, person }, ctx: AuthContext) => {
  await ctx.rateLimiter.count(`imports:${person.id}`, importLimit)
  const { imports, clock } = ctx
  const created = await imports.create({ fileName: body.file_name, partCount: body.parts, by: person.id }, clock.now())
  return { success: true as const, import: presentImport(created) }
})
