import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { EngagementContext } from '../context.ts'
import type { IssuedRecord } from '../store/issued-records.ts'
import { findRecordedPerson } from './find-recorded-person.ts'
import { findScope } from './find-scope.ts'
import { recordDetailView } from './record-detail-view.ts'
import { hashOf } from './seal-document.ts'
import { parseContent } from './verify-document.ts'

/**
 * Fails with `not_found` unless the caller sees the record of the person, or the group and the
 * record of each of its members in the document. Access to the records of others is stored as a
 * detail view.
 */
export async function requireVisibleDocument(
  ctx: EngagementContext,
  caller: Person,
  document: IssuedRecord,
): Promise<void> {
  if (document.content === null) fail('not_found')
  if (document.personId !== null) {
    await findRecordedPerson(ctx, caller, document.personId)
    return
  }
  if (caller.role === 'user' || document.groupId === null) fail('not_found')
  const memberIds = listMemberIds(document, document.content)
  const scope = await findScope(ctx, caller)
  if (scope) {
    const visibleIds = new Set(scope.map(({ id }) => id))
    if (!memberIds.every(id => visibleIds.has(id))) fail('not_found')
    await ctx.groupMembers.findGroup(document.groupId, caller.id)
  }
  const members = memberIds.map(id => ({ id }))
  await recordDetailView(ctx, caller, members, 'record')
}

/** The members in the document, without those who were erased. */
function listMemberIds({ people }: IssuedRecord, text: string): string[] {
  const content = parseContent(text)
  if (content.format !== 'watchline.group_record.1') return []
  const idsByHash = new Map(people.map(person => [hashOf(person), person.id]))
  return content.records.flatMap(({ person }) => idsByHash.get(content.people[person] ?? '') ?? [])
}
