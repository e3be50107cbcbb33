import { limits } from '@watchline/contracts/limits'
import { asFailure } from '../../api/failure.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import { describeReminders, type RemindedPerson } from './describe-reminders.ts'
import { useRemindPeopleMutation } from './reminders-api.ts'

export interface Remind {
  /** Reminds the people of today's unfinished task; an alert tells the outcome. */
  remind: (people: readonly RemindedPerson[]) => void
  isReminding: boolean
}

export function useRemind(): Remind {
  const alerts = useAlerts()
  const [remindPeople, { isLoading }] = useRemindPeopleMutation()

  async function remind(people: readonly RemindedPerson[]) {
    const asked = people.slice(0, limits.remindMaxPeople)
    const { data, error } = await remindPeople({ body: { user_ids: asked.map(({ id }) => id) } })
    if (error) alerts.fail('The reminder could not be sent. Please try again.', asFailure(error))
    else alerts.announce(describeReminders(asked, data.reminders))
  }

  return { remind, isReminding: isLoading }
}
