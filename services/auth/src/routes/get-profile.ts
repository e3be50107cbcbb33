import { getProfile as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import type { PersonRecord } from '../store/person-model.ts'
import { presentUser } from './presenters.ts'

export const getProfile = defineRoute(operation, async ({ person: { id } }, { people }: AuthContext) => {
  const person = (await people.byId(id)) ?? fail('no_session')
  const supervisor = person.supervisorId ? await people.byId(person.supervisorId) : undefined
  return { ...presentUser(person), supervisor: supervisor ? presentContact(supervisor) : null }
})

function presentContact({ id, name, email, picture }: PersonRecord) {
  return { id, name, email, picture }
}
