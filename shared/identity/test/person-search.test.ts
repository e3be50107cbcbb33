import { describe, expect, test } from '@jest/globals'
import { createPersonMatcher } from '../src/person-search.ts'

const person = { name: 'Zoë Trainee 10', email: 'zoe.desk+1@example.org' }

describe('a search for people in memory', () => {
  test.each(['', 'tra', 'TRAINEE zo', 'zoe', 'desk+1', '1@exam', 'zoe.desk+1@example.org', '10'])(
    'finds by %p',
    search => expect(createPersonMatcher(search)(person)).toBe(true),
  )
  test.each(['rainee', '0', 'trainee nobody', '.*', 'xample'])('does not find by %p', search =>
    expect(createPersonMatcher(search)(person)).toBe(false),
  )
})
