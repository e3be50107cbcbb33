import { describe, expect, test } from '@jest/globals'
import { findLatestCue, nameLanguage, pickLanguage } from '../../src/features/player/adapters/captions.ts'
import { creditedRates, limitRate, stepRate } from '../../src/features/player/controls/playback-rates.ts'

describe('the language of captions', () => {
  test.each([
    [['en', 'de'], ['de'], 'de'],
    [['en', 'de-AT', 'de'], ['de', 'en'], 'de'],
    [['en', 'de-AT'], ['DE-ch'], 'de-AT'],
    [['en', 'fr'], ['it', 'fr-CA'], 'fr'],
    [['en', 'fr'], ['it'], 'en'],
    [[], ['en'], undefined],
  ])('of %j for a person who prefers %j is %s', (languages, preferences, language) => {
    expect(pickLanguage(languages, preferences)).toBe(language)
  })

  test('has its own name, or its tag if it is unknown', () => {
    expect(['de', 'fr', 'no tag'].map(nameLanguage)).toEqual(['Deutsch', 'Français', 'no tag'])
  })
})

test('the latest caption is the last one that has begun', () => {
  const cues = [1, 3, 3, 9].map(start => ({ start, end: start + 1, text: 'Welcome' }))
  expect([0, 1, 2.9, 3, 8, 9, 100].map(position => findLatestCue(cues, position))).toEqual([-1, 0, 0, 2, 2, 3, 3])
  expect(findLatestCue([], 5)).toBe(-1)
})

describe('the speeds', () => {
  test('end at the fastest one that is credited, and always include normal speed', () => {
    expect(creditedRates(1)).toEqual([0.5, 0.75, 1])
    expect(creditedRates(1.6)).toEqual([0.5, 0.75, 1, 1.25, 1.5])
    expect(creditedRates(0.25)).toEqual([0.5, 0.75, 1])
  })

  test('step to the next one and stay at the ends', () => {
    expect(stepRate(1, 2, 1)).toBe(1.25)
    expect(stepRate(1, 2, -1)).toBe(0.75)
    expect(stepRate(1, 1, 1)).toBe(1)
    expect(stepRate(0.5, 1, -1)).toBe(0.5)
  })

  test('of an earlier choice are lowered to what is credited', () => {
    expect(limitRate(2, 1.5)).toBe(1.5)
    expect(limitRate(0.1, 1)).toBe(1)
  })
})
