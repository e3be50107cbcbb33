import { type Reminder, remindPeople } from '@watchline/contracts/assignments'
import { getTeam, type ListedProgress, type MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { readAllPages } from '../../api/all-pages.ts'
import { callOperation } from '../../api/call-operation.ts'
import { fromOperation, gateway } from '../../api/gateway.ts'
import { isListedAs } from '../../ui/listed-progress.ts'

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
    /** Reminds everybody on this list of the caller's scope, in as many calls as that takes. */
    remindListed: build.mutation<ManyReminders, ListedProgress>({
      queryFn: async (progress, { signal }) => {
        const pages = await readAllPages(getTeam, signal, { progress })
        if ('error' in pages) return pages
        const people = listPeople(
          pages.data.flatMap(({ members }) => members),
          progress,
        )
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
function listPeople(members: readonly MemberAnalytics[], state: ListedProgress): { id: string; name: string }[] {
  const listed = members.filter(member => isListedAs(member, state))
  return [...new Map(listed.map(({ user_id, name }) => [user_id, { id: user_id, name }])).values()]
}

export const { useRemindPeopleMutation, useRemindListedMutation } = remindersApi
