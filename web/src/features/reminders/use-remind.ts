import { limits } from '@watchline/contracts/limits'
import { asFailure } from '../../api/failure.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import { describeReminders, type RemindedPerson } from './describe-reminders.ts'
import { useRemindPeopleMutation, useRemindStuckMutation } from './reminders-api.ts'

export interface Remind {
  /** Reminds the people of today's unfinished task; an alert tells the outcome. */
  remind: (people: readonly RemindedPerson[]) => void
  /** Reminds everybody who is stuck; one alert tells the outcome of all calls. */
  remindStuck: () => void
  isReminding: boolean
}

const failText = 'The reminder could not be sent. Please try again.'

export function useRemind(): Remind {
  const alerts = useAlerts()
  const [remindPeople, { isLoading: isRemindingPeople }] = useRemindPeopleMutation()
  const [remindEverybodyStuck, { isLoading: isRemindingStuck }] = useRemindStuckMutation()

  async function remind(people: readonly RemindedPerson[]) {
    const asked = people.slice(0, limits.remindMaxPeople)
    const { data, error } = await remindPeople({ body: { user_ids: asked.map(({ id }) => id) } })
    if (error) alerts.fail(failText, asFailure(error))
    else alerts.announce(describeReminders(asked, data.reminders))
  }

  async function remindStuck() {
    const { data, error } = await remindEverybodyStuck()
    if (error) alerts.fail(failText, asFailure(error))
    else alerts.announce(describeReminders(data.people, data.reminders, data.missedCount))
  }

  return { remind, remindStuck, isReminding: isRemindingPeople || isRemindingStuck }
}
