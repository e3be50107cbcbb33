import { afterEach, expect, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import { Pager } from '../../src/ui/pager.tsx'
import { renderScreen } from '../support/render.tsx'

afterEach(cleanup)

function position(props: Partial<Parameters<typeof Pager>[0]>): string | null {
  renderScreen(<Pager page={0} pageSize={25} count={25} hasNext onPage={() => {}} {...props} />)
  return screen.getByRole('status').textContent
}

const nouns = ['person', 'people'] as const

test.each([
  ['where all were counted', { total: 3_120 }, '1–25 of 3,120 people · page 1 of 125'],
  ['where no more than these were counted', { total: 1_000 }, '1–25 of 1,000+ people · page 1'],
  ['beyond what was counted', { total: 1_000, page: 42 }, '1,051–1,075 of 1,075+ people · page 43'],
  [
    'at the end of more than was counted',
    { total: 1_000, page: 52, count: 3, hasNext: false },
    '1,301–1,303 of 1,303 people · page 53 of 53',
  ],
  [
    'at the end of exactly as many',
    { total: 1_000, page: 39, hasNext: false },
    '976–1,000 of 1,000 people · page 40 of 40',
  ],
  ['where fewer were counted', { total: 999 }, '1–25 of 999 people · page 1 of 40'],
])('%s, says so', (_name, props, words) => {
  expect(position({ ...props, countedAtMost: 1_000, nouns })).toBe(words)
})

test('a list that is counted to its end may have as many as others are counted to', () => {
  expect(position({ total: 1_000, nouns })).toBe('1–25 of 1,000 people · page 1 of 40')
})
