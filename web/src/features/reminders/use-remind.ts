import type { ListedProgress } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { asFailure } from '../../api/failure.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import { describeReminders, type RemindedPerson } from './describe-reminders.ts'
import { useRemindListedMutation, useRemindPeopleMutation } from './reminders-api.ts'

export interface Remind {
  /** Reminds the people of today's unfinished task; an alert tells the outcome. */
  remind: (people: readonly RemindedPerson[]) => void
  /** Reminds everybody on this list; one alert tells the outcome of all calls. */
  remindListed: (progress: ListedProgress) => void
  isReminding: boolean
}

const failText = 'The reminder could not be sent. Please try again.'

export function useRemind(): Remind {
  const alerts = useAlerts()
  const [remindPeople, { isLoading: isRemindingPeople }] = useRemindPeopleMutation()
  const [remindEverybodyListed, { isLoading: isRemindingListed }] = useRemindListedMutation()

  async function remind(people: readonly RemindedPerson[]) {
    const asked = people.slice(0, limits.remindMaxPeople)
    const { data, error } = await remindPeople({ body: { user_ids: asked.map(({ id }) => id) } })
    if (error) alerts.fail(failText, asFailure(error))
    else alerts.announce(describeReminders(asked, data.reminders))
  }

  async function remindListed(progress: ListedProgress) {
    const { data, error } = await remindEverybodyListed(progress)
    if (error) alerts.fail(failText, asFailure(error))
    else alerts.announce(describeReminders(data.people, data.reminders, data.missedCount))
  }

  return { remind, remindListed, isReminding: isRemindingPeople || isRemindingListed }
}
