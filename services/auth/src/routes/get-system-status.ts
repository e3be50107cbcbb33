import { getSystemStatus as operation } from '@watchline/contracts/auth'
import { defineRoute } from '@watchline/kit/http/route'
import { developmentIssuer } from '../config.ts'
import type { AuthContext } from '../context.ts'
import { providerNames } from './presenters.ts'

export const getSystemStatus = defineRoute(
  operation,
  async (_input, { config, providers, isDatabaseResponding: databaseAnswers }: AuthContext) => ({
    database: (await databaseAnswers()) ? ('connected' as const) : ('disconnected' as const),
    authentication: {
      status: developmentIssuer(config) ? ('needs_update' as const) : ('active' as const),
      provider: providerNames(providers),
    },
  }),
)
