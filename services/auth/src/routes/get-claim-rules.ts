import { getClaimRules as operation } from '@watchline/contracts/claim-rules'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentClaimRules } from './present-claim-rules.ts'

export const getClaimRules = defineRoute(operation, async (_input, ctx: AuthContext) => presentClaimRules(ctx))
