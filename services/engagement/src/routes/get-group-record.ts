import { getGroupRecord as operation } from '@watchline/contracts/records'
import { defineRoute } from '@watchline/kit/http/route'
import { loadGroupRecord } from '../actions/load-group-record.ts'
import type { EngagementContext } from '../context.ts'

export const getGroupRecord = defineRoute(operation, ({ params, query, person }, ctx: EngagementContext) =>
  loadGroupRecord(ctx, person, params.groupId, query),
)
