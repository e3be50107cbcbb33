import { getRecord as operation } from '@watchline/contracts/records'
import { defineRoute } from '@watchline/kit/http/route'
import { findRecordedPerson } from '../actions/find-recorded-person.ts'
import { loadRecord } from '../actions/load-record.ts'
import type { EngagementContext } from '../context.ts'

export const getRecord = defineRoute(operation, async ({ params, query, person: caller }, ctx: EngagementContext) => {
  const person = await findRecordedPerson(ctx, caller, params.userId)
  return loadRecord(ctx, person, query)
})
