import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Facts, factsOf, fold, type Happening } from '../../src/rules/activity.ts'
import { wordingOf } from '../../src/rules/wording.ts'

const person = (id: string) => ({ id, name: `Trainee ${id}` })
const place = fc.constantFrom('a', 'b').map(id => ({ id, title: `“${id}”` }))
const happening: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constant('integrity' as const),
  person: fc.constantFrom('1', '2', '3', '4').map(person),
  count: fc.integer({ min: 1, max: 9 }),
  playlist: place,
  video: place,
  notes: fc.dictionary(fc.constantFrom('skipped', 'hidden'), fc.integer({ min: 1, max: 5 })),
})
const folded = (all: readonly Happening[]): Facts => all.map(factsOf).reduce(fold)

describe('folding', () => {
  test('adds up, whatever the order and however it is split', () => {
    fc.assert(
      fc.property(fc.array(happening, { minLength: 2, maxLength: 12 }), fc.nat(), (all, at) => {
        const cut = 1 + (at % (all.length - 1))
        const whole = folded(all)
        expect(folded([...all].reverse())).toEqual(whole)
        expect(fold(folded(all.slice(cut)), folded(all.slice(0, cut)))).toEqual(whole)
        expect(whole.count).toBe(all.reduce((sum, each) => sum + each.count, 0))
        expect(whole.happenings).toBe(all.length)
        expect(whole.people.map(each => each.id)).toEqual([...new Set(all.map(each => each.person!.id))].sort())
        const notes = all.flatMap(each => Object.values(each.notes ?? {})).reduce((sum, times) => sum + times, 0)
        expect(Object.values(whole.notes ?? {}).reduce((sum, times) => sum + times, 0)).toBe(notes)
      }),
    )
  })

  test('leads somewhere only while all lead to the same place', () => {
    const one = { kind: 'video_completed' as const, person: person('1'), count: 1, playlist: { id: 'a', title: 'A' } }
    const film = (id: string) => ({ ...one, video: { id, title: id } })
    expect(folded([film('x'), film('x')])).toMatchObject({ playlist: { id: 'a' }, video: { id: 'x' } })
    expect(folded([film('x'), film('y')]).video).toBeUndefined()
    expect(folded([film('x'), { ...film('x'), playlist: { id: 'b', title: 'B' } }])).not.toHaveProperty('video')
  })
})

describe('wording', () => {
  const one: Happening = {
    kind: 'video_completed',
    person: person('1'),
    count: 1,
    playlist: { id: 'p', title: 'Safety' },
    video: { id: 'v', title: 'Fire exits' },
  }
  const saying = (...all: Happening[]) => wordingOf(folded(all)).message

  test('of one, of two, of many people', () => {
    expect(saying(one)).toBe('Trainee 1 completed “Fire exits”.')
    expect(saying(one, { ...one, person: person('2') })).toBe('Trainee 1 and Trainee 2 completed 2 videos.')
    expect(saying(...['1', '2', '3'].map(id => ({ ...one, person: person(id) })))).toBe(
      'Trainee 1, Trainee 2 and 1 other completed 3 videos.',
    )
    expect(saying(...['1', '2', '3', '4', '4'].map(id => ({ ...one, person: person(id) })))).toBe(
      'Trainee 1, Trainee 2 and 2 others completed 5 videos.',
    )
  })

  test('of notes, the most frequent reason first', () => {
    const noted: Happening = { ...one, kind: 'integrity', count: 4, notes: { hidden: 1, skipped: 3 } }
    expect(saying(noted)).toBe('Trainee 1, “Fire exits”: skipped ahead 3 times, played out of sight once.')
  })

  test('of a comment: who, where, and no more of it than fits', () => {
    const comment: Happening = { ...one, kind: 'comment_to_approve', timestamp: 3_675.9, text: 'Why?' }
    expect(saying(comment)).toBe('Trainee 1 at 1:01:15 in “Fire exits”: “Why?”')
    expect(saying({ ...comment, text: '😀'.repeat(500) })).toContain(`“${'😀'.repeat(300)}…”`)
  })

  test('of answers, with the words that came with them', () => {
    const answer: Happening = { ...one, kind: 'comment_reviewed', timestamp: 12, positive: true, text: 'Well seen' }
    expect(saying(answer)).toBe('Trainee 1 approved your comment at 0:12 in “Fire exits”: “Well seen”')
    expect(saying({ ...answer, positive: false, text: '' })).toBe(
      'Trainee 1 rejected your comment at 0:12 in “Fire exits”.',
    )
    const request: Happening = { kind: 'request_reviewed', person: person('7'), count: 1, positive: false }
    expect(saying({ ...request, text: 'Not now' })).toBe('Your request for Trainee 7 was rejected: “Not now”')
    expect(saying({ ...request, positive: true })).toBe('Trainee 7 is now one of your supervisors.')
  })
})
