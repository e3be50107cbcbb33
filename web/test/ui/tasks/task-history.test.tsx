import { afterEach, expect, test } from '@jest/globals'
import { cleanup, render } from '@testing-library/react'
import { hasCertificate, TaskHistory } from '../../../src/ui/tasks/task-history.tsx'

afterEach(cleanup)
const by = { id: 'supervisor1', name: 'Supervisor One', role: 'supervisor' as const }

test('the terms of a task stand before its history', () => {
  const conditions = {
    grace_days: 1,
    required_percent: 95,
    max_rate: 1.5,
    attention_checks: true,
    allow_skipping: false,
  }
  const { container } = render(<TaskHistory playlist={{ override: null, conditions }} />)
  expect(container.textContent).toBe(
    'Terms: 95% needed, can be finished up to 1 day late, counts up to 1.5× speed, with attention checks, no skipping ahead',
  )
})

test('a completed task says that a video was added since', () => {
  const { container } = render(<TaskHistory playlist={{ override: null, new_since_completion: true }} />)
  expect(container.textContent).toBe('The playlist has changed since the completion. The task stays completed.')
})

test('the history of a task names each exception with its author, time and reason', () => {
  const override = {
    kind: 'marked_done' as const,
    by: null,
    at: '2026-11-03T08:00:00.000Z',
    reason: 'In the classroom',
  }
  const attempt = { by, reason: 'Watched by a colleague', completion_rate: 78, watch_time: 120 }
  const { container } = render(
    <TaskHistory
      playlist={{
        override,
        earlier_attempts: [
          { ...attempt, ended_at: '2026-11-02T08:00:00.000Z', completed: false },
          { ...attempt, ended_at: '2026-11-01T08:00:00.000Z', completed: true, by: null, reason: '' },
        ],
      }}
    />,
  )
  const lines = [...container.querySelectorAll('li')].map(item => item.textContent)
  expect(lines).toEqual([
    expect.stringMatching(/^Marked as done by a superior, .*2026: “In the classroom”$/),
    expect.stringMatching(
      /^Reset by Supervisor One \(supervisor\), .*2026.*: “Watched by a colleague”. Before: 78%, watch time 2 min$/,
    ),
    expect.stringMatching(/^Reset by a superior, .*2026.*\. Before: completed, watch time 2 min$/),
  ])
})

test('a change of terms has its author, its time, its reason and the due date from then on', () => {
  const due = {
    ...{ at: '2026-12-31T16:00:00.000Z', local: '2026-12-31T17:00', time_zone: 'Europe/Berlin' },
    time_zone_of: 'person' as const,
  }
  const { container } = render(
    <TaskHistory
      playlist={{
        override: null,
        explained_changes: [
          { at: '2026-11-04T08:00:00.000Z', by: null, reason: 'A mistake', due: null },
          { at: '2026-11-03T08:00:00.000Z', by, reason: 'On leave', due },
        ],
      }}
    />,
  )
  expect([...container.querySelectorAll('li')].map(item => item.textContent)).toEqual([
    expect.stringMatching(/^Terms changed by a superior, .*2026.*: “A mistake”. No due date$/),
    expect.stringMatching(/^Terms changed by Supervisor One \(supervisor\), .*2026.*: “On leave”. Due .*2026/),
  ])
  const exact = '2026-12-31 17:00, Europe/Berlin, the time zone of the person'
  const shownDue = container.querySelector(`time[datetime="${due.at}"]`)
  expect(shownDue?.getAttribute('title')).toBe(exact)
  // Screen readers do not read the title.
  expect(shownDue?.textContent).toMatch(new RegExp(`2026.* \\(${exact}\\)$`))
})

test('each occurrence of a recurring task has its due date, its outcome, and what was watched of it', () => {
  const dueIn = (year: number) => ({
    at: `${year}-01-31T16:00:00.000Z`,
    local: `${year}-01-31T17:00`,
    time_zone: 'UTC',
  })
  const ended_at = '2028-01-01T16:00:00.000Z'
  const { container } = render(
    <TaskHistory
      playlist={{
        override: null,
        occurrences: [
          {
            ...{ due: dueIn(2026), opened_at: '2026-01-01T16:00:00.000Z', ended_at: '2027-01-01T16:00:00.000Z' },
            ...{ outcome: 'completed', closed_at: '2026-01-20T16:00:00.000Z', valid_until: dueIn(2027).at },
          },
          { due: dueIn(2027), opened_at: '2027-01-01T16:00:00.000Z', ended_at, outcome: 'missed', closed_at: null },
        ],
        present_occurrence: { opened_at: ended_at, due: dueIn(2028) },
        earlier_attempts: [
          {
            ...{ ended_at, occurrence_due: dueIn(2027), by: null, reason: '' },
            ...{ completion_rate: 40, completed: false, watch_time: 180 },
          },
        ],
      }}
    />,
  )
  expect([...container.querySelectorAll('li')].map(item => item.textContent)).toEqual([
    expect.stringMatching(/^Present occurrence: open since .*2028.*, due .*2028/),
    expect.stringMatching(/^Missed: due .*2027.*, 40%, watch time 3 min$/),
    expect.stringMatching(/^Completed .*2026.*: due .*2026/),
  ])
})

test('what was watched of an occurrence stands there although the history does not have the occurrence', () => {
  const dueIn = (year: number) => ({
    at: `${year}-01-31T16:00:00.000Z`,
    local: `${year}-01-31T17:00`,
    time_zone: 'UTC',
  })
  const [ended_at, endedLater] = ['2027-01-01T16:00:00.000Z', '2028-01-01T16:00:00.000Z']
  const attempt = { by: null, reason: '', watch_time: 180 }
  const { container } = render(
    <TaskHistory
      playlist={{
        override: null,
        // The beginning of a task from before records is unknown.
        occurrences: [{ due: dueIn(2026), opened_at: null, ended_at, outcome: 'missed', closed_at: null }],
        earlier_attempts: [
          { ...attempt, ended_at: endedLater, occurrence_due: dueIn(2027), completion_rate: 100, completed: true },
          { ...attempt, ended_at, occurrence_due: dueIn(2026), completion_rate: 40, completed: false },
        ],
      }}
    />,
  )
  expect([...container.querySelectorAll('li')].map(item => item.textContent)).toEqual([
    expect.stringMatching(/^Missed: due .*2026.*, 40%, watch time 3 min$/),
    expect.stringMatching(/^Earlier occurrence: due .*2027.*, completed, watch time 3 min$/),
  ])
})

test('a completion has a certificate if the playlist was a task of the person', () => {
  expect(hasCertificate({ completed: true })).toBe(true)
  expect(hasCertificate({ completed: true, never_assigned: true })).toBe(false)
  expect(hasCertificate({ completed: false })).toBe(false)
})

test('a task without exceptions has no history', () => {
  expect(render(<TaskHistory playlist={{ override: null }} />).container.textContent).toBe('')
})
