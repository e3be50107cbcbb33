import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { EngagementContext } from '../context.ts'
import { findScope } from './find-scope.ts'
import { recordDetailView } from './record-detail-view.ts'

/**
 * The caller, or a person whose details the caller may see. Access to another person's record is
 * stored as a detail view.
 */
export async function findRecordedPerson(ctx: EngagementContext, caller: Person, personId: string): Promise<Person> {
  if (personId === caller.id) return caller
  const scope = await findScope(ctx, caller)
  const person = scope ? scope.find(({ id }) => id === personId) : await ctx.people.get(personId)
  if (person?.role !== 'user' || person.erasedAt) fail('not_found')
  await recordDetailView(ctx, caller, [person], 'record')
  return person
}
