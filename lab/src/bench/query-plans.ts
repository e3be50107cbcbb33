import type mongoose from 'mongoose'
import { markdownTable } from '../shared/tables.ts'

/** One query of a call, as MongoDB's profiler recorded it. */
export interface QueryPlan {
  call: string
  collection: string
  plan: string
  /** Documents examined, and documents returned or modified. */
  examined: number
  returned: number
  ms: number
}

/** The plans of all queries that `makeCall` causes. `kinds` are the profiler's operation types. */
export async function profileCall(
  database: mongoose.mongo.Db,
  name: string,
  makeCall: () => Promise<unknown>,
  kinds: readonly string[] = ['query', 'command'],
): Promise<QueryPlan[]> {
  const profile = database.collection('system.profile')
  await database.command({ profile: 0 })
  await profile.drop().catch(() => {})
  await database.command({ profile: 2 })
  try {
    await makeCall()
  } finally {
    await database.command({ profile: 0 })
  }
  const entries = await profile.find({ op: { $in: [...kinds] } }).toArray()
  return entries
    .filter(entry => entry.planSummary && !entry.command?.aggregate?.startsWith?.('$') && !entry.originatingCommand)
    .map(entry => ({
      call: name,
      collection: String(entry.ns).split('.').slice(1).join('.'),
      plan: shortenPlan(entry.planSummary),
      examined: entry.docsExamined ?? 0,
      returned: entry.nreturned ?? entry.nModified ?? 0,
      ms: entry.millis,
    }))
}

/** MongoDB repeats the same plan for each value of an `$in`. */
function shortenPlan(plan: string): string {
  const parts = plan.split(/, (?=[A-Z])/)
  const shortened = [...Map.groupBy(parts, part => part)].map(([part, { length }]) =>
    length === 1 ? part : `${length} × ${part}`,
  )
  return shortened.join(', ')
}

export function queryPlanTable(plans: readonly QueryPlan[]): string {
  return markdownTable(
    ['call', 'collection', 'plan', 'documents examined', 'returned'],
    plans.map(({ call, collection, plan, examined, returned }) => [call, collection, plan, examined, returned]),
    { textColumns: 3 },
  )
}
