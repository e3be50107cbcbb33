import { getPicture as operation } from '@watchline/contracts/organisation'
import { fail } from '@watchline/kit/core/errors'
import { pictureReply } from '@watchline/kit/http/picture-loader'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

/**
 * Shows a picture from this origin, so that the provider's server does not learn who looks at whom.
 * The caller names the address that an answer has shown, so nobody can look up pictures by ids.
 */
export const getPicture = defineRoute(operation, async ({ params, query }, { people, pictures }: AuthContext) => {
  const shown = await people.byId(params.id)
  if (!shown?.picture || shown.picture !== query.url) fail('not_found')
  return pictureReply((await pictures.load(shown.picture)) ?? fail('not_found'))
})
