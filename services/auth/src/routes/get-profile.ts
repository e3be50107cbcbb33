import { getProfile as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const getProfile = defineRoute(operation, async ({ person }, { people }: AuthContext) =>
  presentUser((await people.byId(person.id)) ?? fail('no_session')),
)
