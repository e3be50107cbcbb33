import { getImport as operation } from '@watchline/contracts/people-imports'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentImport } from './presenters.ts'

export const getImport = defineRoute(operation, async ({ params }, { imports, clock }: AuthContext) =>
  presentImport((await imports.find(params.id, clock.now())) ?? fail('not_found')),
)
