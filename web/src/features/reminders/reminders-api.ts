import { type Reminder, remindPeople } from '@watchline/contracts/assignments'
import { getTeam, type MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { readAllPages } from '../../api/all-pages.ts'
import { callOperation } from '../../api/call-operation.ts'
import { fromOperation, gateway } from '../../api/gateway.ts'

/** The outcome of reminding many people. */
export interface ManyReminders {
  people: readonly { id: string; name: string }[]
  reminders: readonly Reminder[]
  /** People whom no call reached, because one failed. */
  missedCount: number
}

export const remindersApi = gateway.injectEndpoints({
  endpoints: build => ({
    remindPeople: build.mutation(fromOperation(remindPeople)),
    /** Reminds everybody in the caller's scope who is stuck, in as many calls as that takes. */
    remindStuck: build.mutation<ManyReminders, void>({
      queryFn: async (_, { signal }) => {
        const pages = await readAllPages(getTeam, signal, { progress: 'stalled' })
        if ('error' in pages) return pages
        const people = listStuck(pages.data.flatMap(({ members }) => members))
        const reminders: Reminder[] = []
        for (let at = 0; at < people.length; at += limits.remindMaxPeople) {
          const user_ids = people.slice(at, at + limits.remindMaxPeople).map(({ id }) => id)
          const { ok, ...answer } = await callOperation(remindPeople, { body: { user_ids } }, { signal })
          if ('data' in answer) reminders.push(...answer.data.reminders)
          else if (at === 0) return { error: answer }
          else return { data: { people, reminders, missedCount: people.length - at } }
        }
        return { data: { people, reminders, missedCount: 0 } }
      },
    }),
  }),
})

/** A list that changes while it is read may contain a person twice. */
function listStuck(members: readonly MemberAnalytics[]): { id: string; name: string }[] {
  const stuck = members.filter(({ progress }) => progress === 'stalled')
  return [...new Map(stuck.map(({ user_id, name }) => [user_id, { id: user_id, name }])).values()]
}

export const { useRemindPeopleMutation, useRemindStuckMutation } = remindersApi
