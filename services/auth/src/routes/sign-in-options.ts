import { signInOptions as operation } from '@watchline/contracts/auth'
import { defineRoute } from '@watchline/kit/http/route'
import { developmentIssuer, setupTokenOf } from '../config.ts'
import type { AuthContext } from '../context.ts'
import { providerName } from './presenters.ts'

export const signInOptions = defineRoute(operation, async (_input, { config }: AuthContext) => {
  return {
    provider: providerName(config),
    development: developmentIssuer(config) !== undefined,
    setup_token_required: setupTokenOf(config) !== undefined,
  }
})
