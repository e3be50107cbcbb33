import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Activity, type ActivityGroup, createGroup, mergeGroups } from '../../src/rules/activity.ts'
import { composeNotificationText } from '../../src/rules/notification-text.ts'

const person = (id: string) => ({ id, name: `Trainee ${id}` })
const titled = fc.constantFrom('a', 'b').map(id => ({ id, title: `“${id}”` }))
const activity: fc.Arbitrary<Activity> = fc.record({
  kind: fc.constant('integrity' as const),
  person: fc.constantFrom('1', '2', '3', '4').map(person),
  count: fc.integer({ min: 1, max: 9 }),
  playlist: titled,
  video: titled,
  notes: fc.dictionary(fc.constantFrom('skipped', 'hidden'), fc.integer({ min: 1, max: 5 })),
})
const groupActivities = (activities: readonly Activity[]): ActivityGroup =>
  activities.map(createGroup).reduce(mergeGroups)

describe('grouping', () => {
  test('gives the same result for any order and any split', () => {
    fc.assert(
      fc.property(fc.array(activity, { minLength: 2, maxLength: 12 }), fc.nat(), (activities, seed) => {
        const cut = 1 + (seed % (activities.length - 1))
        const whole = groupActivities(activities)
        expect(groupActivities([...activities].reverse())).toEqual(whole)
        expect(mergeGroups(groupActivities(activities.slice(cut)), groupActivities(activities.slice(0, cut)))).toEqual(
          whole,
        )
        expect(whole.count).toBe(activities.reduce((sum, activity) => sum + activity.count, 0))
        expect(whole.activityCount).toBe(activities.length)
        expect(whole.people.map(({ id }) => id)).toEqual(
          [...new Set(activities.map(activity => activity.person!.id))].sort(),
        )
        const notes = activities
          .flatMap(activity => Object.values(activity.notes ?? {}))
          .reduce((sum, times) => sum + times, 0)
        expect(Object.values(whole.notes ?? {}).reduce((sum, times) => sum + times, 0)).toBe(notes)
      }),
    )
  })

  test('keeps a playlist or video only if all activities have the same', () => {
    const base = { kind: 'video_completed' as const, person: person('1'), count: 1, playlist: { id: 'a', title: 'A' } }
    const completion = (id: string) => ({ ...base, video: { id, title: id } })
    expect(groupActivities([completion('x'), completion('x')])).toMatchObject({
      playlist: { id: 'a' },
      video: { id: 'x' },
    })
    expect(groupActivities([completion('x'), completion('y')]).video).toBeUndefined()
    expect(
      groupActivities([completion('x'), { ...completion('x'), playlist: { id: 'b', title: 'B' } }]),
    ).not.toHaveProperty('video')
  })
})

describe('wording', () => {
  const completion: Activity = {
    kind: 'video_completed',
    person: person('1'),
    count: 1,
    playlist: { id: 'p', title: 'Safety' },
    video: { id: 'v', title: 'Fire exits' },
  }
  const messageOf = (...activities: Activity[]) => composeNotificationText(groupActivities(activities)).message

  test('names up to two people and counts the others', () => {
    const completionsOf = (...ids: string[]) => ids.map(id => ({ ...completion, person: person(id) }))
    expect(messageOf(completion)).toBe('Trainee 1 completed “Fire exits”.')
    expect(messageOf(...completionsOf('1', '2'))).toBe('Trainee 1 and Trainee 2 completed 2 videos.')
    expect(messageOf(...completionsOf('1', '2', '3'))).toBe('Trainee 1, Trainee 2 and 1 other completed 3 videos.')
    expect(messageOf(...completionsOf('1', '2', '3', '4', '4'))).toBe(
      'Trainee 1, Trainee 2 and 2 others completed 5 videos.',
    )
  })

  test('lists integrity notes, the most frequent reason first', () => {
    const noted: Activity = { ...completion, kind: 'integrity', count: 4, notes: { hidden: 1, skipped: 3 } }
    expect(messageOf(noted)).toBe('Trainee 1, “Fire exits”: skipped ahead 3 times, played out of sight once.')
  })

  test('of integrity notes name lost credit only if there is some', () => {
    const titleOf = (notes: Record<string, number>) =>
      composeNotificationText(groupActivities([{ ...completion, kind: 'integrity', count: 1, notes }])).title
    expect(titleOf({ skipped: 1 })).toBe('Some watch time was not credited')
    expect(titleOf({ unanswered: 1 })).toBe('Attention check missed')
    expect(titleOf({ unanswered: 1, hidden: 2 })).toBe('Integrity notes')
  })

  test('quotes at most 300 characters of a comment, with its author, time and video', () => {
    const comment: Activity = { ...completion, kind: 'comment_to_approve', timestamp: 3_675.9, text: 'Why?' }
    expect(messageOf(comment)).toBe('Trainee 1 at 1:01:15 in “Fire exits”: “Why?”')
    expect(messageOf({ ...comment, text: '😀'.repeat(500) })).toContain(`“${'😀'.repeat(300)}…”`)
  })

  test('quotes the text of an answer', () => {
    const answer: Activity = {
      ...completion,
      kind: 'comment_reviewed',
      timestamp: 12,
      positive: true,
      text: 'Well seen',
    }
    expect(messageOf(answer)).toBe('Trainee 1 approved your comment at 0:12 in “Fire exits”: “Well seen”')
    expect(messageOf({ ...answer, positive: false, text: '' })).toBe(
      'Trainee 1 rejected your comment at 0:12 in “Fire exits”.',
    )
    const request: Activity = { kind: 'request_reviewed', person: person('7'), count: 1, positive: false }
    expect(messageOf({ ...request, text: 'Not now' })).toBe('Your request for Trainee 7 was rejected: “Not now”')
    expect(messageOf({ ...request, positive: true })).toBe('Trainee 7 is now one of your supervisors.')
  })
})
