import { listTokenKeys as operation } from '@watchline/contracts/auth'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

export const listTokenKeys = defineRoute(operation, async (_input, { tokens }: AuthContext) => ({
  keys: [...tokens.keys],
}))
