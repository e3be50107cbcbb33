import { getAdminProfile as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentAdmin } from './presenters.ts'

export const getAdminProfile = defineRoute(operation, async ({ person }, { people }: AuthContext) =>
  presentAdmin((await people.byId(person.id)) ?? fail('no_session')),
)
