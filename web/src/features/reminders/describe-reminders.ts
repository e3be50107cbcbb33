import type { Reminder } from '@watchline/contracts/assignments'
import { formatCount, formatExactTime } from '../../ui/dates/format.ts'
import type { Alert } from '../../ui/feedback/alerts.tsx'

export interface RemindedPerson {
  id: string
  name: string
}

/**
 * The outcome of calls to remind: of one person by name, of several in figures. `missedCount`:
 * people whom no call reached.
 */
export function describeReminders(
  people: readonly RemindedPerson[],
  reminders: readonly Reminder[],
  missedCount = 0,
): Alert {
  const [person] = people
  const [reminder] = reminders
  if (person && reminder && people.length === 1) return describeOne(person.name, reminder)
  const count = (outcome: Reminder['outcome']) => reminders.filter(entry => entry.outcome === outcome).length
  const already = count('already_reminded')
  const uncompletableCount = reminders.filter(({ uncompletable }) => uncompletable).length
  const idleCount = count('no_open_task') - uncompletableCount
  const reminded = count('reminded')
  const remarks = [
    ...(already > 0 ? [`${formatCount(already, 'person', 'people')} already reminded of this task today`] : []),
    ...(uncompletableCount > 0
      ? [`${formatCount(uncompletableCount, 'person', 'people')} with a task that cannot be completed`]
      : []),
    ...(idleCount > 0 ? [`${formatCount(idleCount, 'person', 'people')} without an unfinished task`] : []),
    ...(missedCount > 0 ? [`${formatCount(missedCount, 'person', 'people')} not reached: please try again`] : []),
  ]
  return {
    kind: reminded > 0 && missedCount === 0 ? 'success' : 'notice',
    message: reminded > 0 ? `Reminder sent to ${formatCount(reminded, 'person', 'people')}` : 'No reminder was sent',
    ...(remarks.length > 0 && { detail: `${remarks.join(', ')}.` }),
  }
}

function describeOne(name: string, { outcome, title, reminded_at, uncompletable }: Reminder): Alert {
  if (outcome === 'reminded') return { kind: 'success', message: `Reminded ${name} of “${title}”` }
  if (uncompletable)
    return {
      kind: 'notice',
      message: `${name} cannot complete “${title}”`,
      detail: 'No video of it can be played. No reminder was sent.',
    }
  if (outcome === 'no_open_task')
    return { kind: 'notice', message: `${name} has no unfinished task`, detail: 'No reminder was sent.' }
  return {
    kind: 'notice',
    message: `${name} was already reminded of “${title}” today`,
    detail: `The last reminder was sent on ${formatExactTime(reminded_at ?? '')}. A person gets one a day for each task.`,
  }
}
