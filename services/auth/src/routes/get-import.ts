import { getImport as operation } from '@watchline/contracts/people-imports'
import { fail } from '@watchline/kit/errors'
import { defineRoute } from '@watchline/kit/route'
import type { AuthContext } from '../context.ts'
import { presentImport } from '../presenters.ts'

export const getImport = defineRoute(operation, async ({ params }, { imports, clock }: AuthContext) =>
  presentImport((await imports.find(params.id, clock.now())) ?? fail('not_found')),
)
