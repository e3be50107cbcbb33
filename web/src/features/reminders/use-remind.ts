import type { ListedProgress } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { asFailure } from '../../api/failure.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { describeReminders, type RemindedPerson } from './describe-reminders.ts'
import {
  type ManyReminders,
  type RiskFilter,
  useRemindAtRiskMutation,
  useRemindListedMutation,
  useRemindPeopleMutation,
} from './reminders-api.ts'

export interface Remind {
  /** Reminds the people of today's unfinished task; an alert shows the outcome. */
  remind: (people: readonly RemindedPerson[]) => void
  /** Reminds a person of an unfinished task. */
  remindTask: (task: { user_id: string; name: string; playlist_id: string }) => void
  /** Reminds everybody on this list; one alert shows the outcome of all calls. */
  remindListed: (progress: ListedProgress) => void
  /** Reminds everybody with a task on this list of tasks at risk. */
  remindAtRisk: (filter: RiskFilter) => void
  isReminding: boolean
}

const failText = 'The reminder could not be sent. Please try again.'

export function useRemind(): Remind {
  const alerts = useAlerts()
  const [remindPeople, { isLoading: isRemindingPeople }] = useRemindPeopleMutation()
  const [remindEverybodyListed, { isLoading: isRemindingListed }] = useRemindListedMutation()
  const [remindEverybodyAtRisk, { isLoading: isRemindingAtRisk }] = useRemindAtRiskMutation()

  async function remind(people: readonly RemindedPerson[], playlist_id?: string) {
    const remindedPeople = people.slice(0, limits.remindMaxPeople)
    const { data, error } = await remindPeople({ body: { user_ids: remindedPeople.map(({ id }) => id), playlist_id } })
    if (error) alerts.fail(failText, asFailure(error))
    else alerts.announce(describeReminders(remindedPeople, data.reminders))
  }

  async function announce(outcome: Promise<{ data?: ManyReminders; error?: unknown }>) {
    const { data, error } = await outcome
    if (data) alerts.announce(describeReminders(data.people, data.reminders, data.missedCount))
    else alerts.fail(failText, asFailure(error))
  }

  return {
    remind: people => remind(people),
    remindTask: ({ user_id: id, name, playlist_id }) => remind([{ id, name }], playlist_id),
    remindListed: progress => announce(remindEverybodyListed(progress)),
    remindAtRisk: filter => announce(remindEverybodyAtRisk(filter)),
    isReminding: isRemindingPeople || isRemindingListed || isRemindingAtRisk,
  }
}
