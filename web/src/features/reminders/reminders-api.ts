import { type Reminder, remindPeople } from '@watchline/contracts/assignments'
import { getTeam, type ListedProgress, listTasksAtRisk, type MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { BodyOf, QueryOf } from '@watchline/contracts/operation'
import { readAllPages } from '../../api/all-pages.ts'
import { callOperation } from '../../api/call-operation.ts'
import type { Failure } from '../../api/failure.ts'
import { fromOperation, gateway } from '../../api/gateway.ts'
import { isListedAs } from '../../ui/progress/listed-progress.ts'

/** The outcome of reminding many people. */
export interface ManyReminders {
  people: readonly { id: string; name: string }[]
  reminders: readonly Reminder[]
  /** People whom no call reached, because one failed. */
  missedCount: number
}

/** The filters of a list of tasks at risk, in the words of the API. */
export type RiskFilter = Omit<QueryOf<typeof listTasksAtRisk>, 'limit' | 'cursor' | 'sort' | 'order'>

export const remindersApi = gateway.injectEndpoints({
  endpoints: build => ({
    remindPeople: build.mutation(fromOperation(remindPeople)),
    /** Reminds everybody on this list of the caller's scope of today's task. */
    remindListed: build.mutation<ManyReminders, ListedProgress>({
      queryFn: async (progress, { signal }) => {
        const pages = await readAllPages(getTeam, signal, { progress })
        if ('error' in pages) return pages
        const people = listPeople(
          pages.data.flatMap(({ members }) => members),
          progress,
        )
        return remindInCalls(people, splitCalls(people), signal)
      },
    }),
    /** Reminds everybody who has a task at risk on this list of their most urgent one. */
    remindAtRisk: build.mutation<ManyReminders, RiskFilter>({
      queryFn: async (filter, { signal }) => {
        const pages = await readAllPages(listTasksAtRisk, signal, filter)
        if ('error' in pages) return pages
        const tasks = pages.data.flatMap(page => page.tasks)
        // The list begins with the most urgent task.
        const firstTasks = [...new Map(tasks.toReversed().map(task => [task.user_id, task])).values()]
        const people = firstTasks.map(({ user_id, name }) => ({ id: user_id, name }))
        const calls = [...Map.groupBy(firstTasks, ({ playlist_id }) => playlist_id)].flatMap(([playlistId, group]) =>
          splitCalls(group.map(({ user_id: id }) => ({ id }))).map(call => ({ ...call, playlist_id: playlistId })),
        )
        return remindInCalls(people, calls, signal)
      },
    }),
  }),
})

type RemindCall = BodyOf<typeof remindPeople>

/** As many calls as the people need. */
function splitCalls(people: readonly { id: string }[]): RemindCall[] {
  const ids = people.map(({ id }) => id)
  const count = Math.ceil(ids.length / limits.remindMaxPeople)
  return Array.from({ length: count }, (_, index) => ({
    user_ids: ids.slice(index * limits.remindMaxPeople, (index + 1) * limits.remindMaxPeople),
  }))
}

/**
 * Makes the calls one after the other. A failure of the first is the outcome; a later one ends
 * them.
 */
async function remindInCalls(
  people: ManyReminders['people'],
  calls: readonly RemindCall[],
  signal: AbortSignal,
): Promise<{ data: ManyReminders } | { error: Failure }> {
  const reminders: Reminder[] = []
  for (const [index, body] of calls.entries()) {
    const { ok, ...answer } = await callOperation(remindPeople, { body }, { signal })
    if ('data' in answer) reminders.push(...answer.data.reminders)
    else if (index === 0) return { error: answer }
    else return { data: { people, reminders, missedCount: people.length - reminders.length } }
  }
  return { data: { people, reminders, missedCount: 0 } }
}

/** A list that changes while it is read may contain a person twice. */
function listPeople(members: readonly MemberAnalytics[], state: ListedProgress): { id: string; name: string }[] {
  const listed = members.filter(member => isListedAs(member, state))
  return [...new Map(listed.map(({ user_id, name }) => [user_id, { id: user_id, name }])).values()]
}

export const { useRemindPeopleMutation, useRemindListedMutation, useRemindAtRiskMutation } = remindersApi
