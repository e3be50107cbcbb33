import { seesEverything } from '@watchline/contracts/people'
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
  const person = await ctx.people.get(personId)
  if (!person || person.erasedAt || !(await maySeeRecord(ctx, caller, person))) fail('not_found')
  await recordDetailView(ctx, caller, [person], 'record')
  return person
}

/** The record of a former trainee stays: after a promotion, for those who lead the person now. */
async function maySeeRecord(ctx: EngagementContext, caller: Person, person: Person): Promise<boolean> {
  if (person.role === 'user') {
    const scope = await findScope(ctx, caller)
    return scope ? scope.some(({ id }) => id === person.id) : true
  }
  const isLed = seesEverything(caller) || (caller.role === 'manager' && person.managerId === caller.id)
  return isLed && (await ctx.taskFacts.listOf(person.id, undefined, 1)).length > 0
}
