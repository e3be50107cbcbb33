import { listGroupClaims as operation } from '@watchline/contracts/groups'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

export const listGroupClaims = defineRoute(operation, async (_input, { config }: AuthContext) => ({
  claims: [...config.claimNames],
}))
