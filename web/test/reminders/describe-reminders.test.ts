import { expect, test } from '@jest/globals'
import type { Reminder } from '@watchline/contracts/assignments'
import { describeReminders } from '../../src/features/reminders/describe-reminders.ts'
import { formatExactTime } from '../../src/ui/dates/format.ts'

const people = ['One', 'Two', 'Three'].map(name => ({ id: name, name: `Trainee ${name}` }))
const at = '2026-11-23T08:05:00.000Z'
const makeReminder = (user_id: string, outcome: Reminder['outcome']): Reminder => ({
  user_id,
  outcome,
  reminded_at: outcome === 'no_open_task' ? null : at,
  playlist_id: outcome === 'no_open_task' ? null : 'safety',
  title: outcome === 'no_open_task' ? null : 'Fire safety',
})

test('one person’s outcome names the person, the task or the last reminder', () => {
  const describeOne = (outcome: Reminder['outcome']) =>
    describeReminders(people.slice(0, 1), [makeReminder('One', outcome)])
  expect(describeOne('reminded')).toEqual({ kind: 'success', message: 'Reminded Trainee One of “Fire safety”' })
  expect(describeOne('already_reminded')).toEqual({
    kind: 'notice',
    message: 'Trainee One was already reminded of “Fire safety” today',
    detail: `The last reminder was sent on ${formatExactTime(at)}. A person gets one a day for each task.`,
  })
  const stopped = { ...makeReminder('One', 'no_open_task'), title: 'Fire safety', uncompletable: 'no_playable_video' }
  expect(describeReminders(people.slice(0, 1), [stopped as Reminder])).toEqual({
    kind: 'notice',
    message: 'Trainee One cannot complete “Fire safety”',
    detail: 'No video of it can be played. No reminder was sent.',
  })
  expect(describeOne('no_open_task').message).toBe('Trainee One has no unfinished task')
})

test('several people’s outcomes are counted', () => {
  expect(
    describeReminders(people, [
      makeReminder('One', 'reminded'),
      makeReminder('Two', 'already_reminded'),
      makeReminder('Three', 'no_open_task'),
      { ...makeReminder('Four', 'no_open_task'), uncompletable: 'no_playable_video' },
    ]),
  ).toEqual({
    kind: 'success',
    message: 'Reminder sent to 1 person',
    detail:
      '1 person already reminded of this task today, 1 person with a task that cannot be completed, 1 person without an unfinished task.',
  })
  expect(
    describeReminders(people.slice(0, 2), [
      makeReminder('One', 'already_reminded'),
      makeReminder('Two', 'already_reminded'),
    ]),
  ).toEqual({
    kind: 'notice',
    message: 'No reminder was sent',
    detail: '2 people already reminded of this task today.',
  })
})

test('people whom no call reached are named as such', () => {
  expect(describeReminders(people, [makeReminder('One', 'reminded')], 2)).toEqual({
    kind: 'notice',
    message: 'Reminder sent to 1 person',
    detail: '2 people not reached: please try again.',
  })
})
