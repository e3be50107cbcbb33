import { signInOptions as operation } from '@watchline/contracts/auth'
import { defineRoute } from '@watchline/kit/http/route'
import { developmentIssuer, isSetupOpen } from '../config.ts'
import type { AuthContext } from '../context.ts'

export const signInOptions = defineRoute(operation, async ({ header }, { config, providers }: AuthContext) => {
  return {
    provider: providers.offered[0]!.name,
    providers: [...providers.offered],
    development: developmentIssuer(config) !== undefined,
    setup_token_required: !isSetupOpen(config) || header('via') !== undefined,
  }
})
