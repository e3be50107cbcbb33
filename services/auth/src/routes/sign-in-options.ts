import { signInOptions as operation } from '@watchline/contracts/auth'
import { defineRoute } from '@watchline/kit/route'
import { developmentIssuer } from '../config.ts'
import type { AuthContext } from '../context.ts'

export const signInOptions = defineRoute(operation, async (_input, { config }: AuthContext) => {
  const development = developmentIssuer(config) !== undefined
  return {
    provider: development ? 'the development provider' : config.oidcName,
    development,
    setup_token_required: config.adminSetupToken !== undefined,
  }
})
