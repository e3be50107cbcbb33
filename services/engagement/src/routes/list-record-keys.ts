import { listRecordKeys as operation } from '@watchline/contracts/records'
import { defineRoute } from '@watchline/kit/http/route'
import type { EngagementContext } from '../context.ts'
import { toPem } from '../store/record-keys.ts'

export const listRecordKeys = defineRoute(operation, async (_input, { recordKeys }: EngagementContext) => ({
  keys: (await recordKeys.list()).map(({ kid, x, firstUsedAt }) => ({
    ...({ kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' } as const),
    pem: toPem({ x }),
    first_used_at: firstUsedAt.toISOString(),
  })),
}))
