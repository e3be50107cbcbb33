import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Pager } from '../../../src/ui/lists/pager.tsx'
import { renderScreen } from '../../support/render.tsx'

afterEach(cleanup)

function position(props: Partial<Parameters<typeof Pager>[0]>): string | null {
  renderScreen(<Pager page={0} pageSize={25} count={25} hasNext onPage={() => {}} {...props} />)
  return screen.getByRole('status').textContent
}

const nouns = ['person', 'people'] as const

test.each([
  ['a list that is fully counted', { total: 3_120 }, '1–25 of 3,120 people · page 1 of 125'],
  ['a list whose count was bounded', { total: 1_000 }, '1–25 of 1,000+ people · page 1'],
  ['a page beyond the bounded count', { total: 1_000, page: 42 }, '1,051–1,075 of 1,075+ people · page 43'],
  [
    'the last page beyond the bounded count',
    { total: 1_000, page: 52, count: 3, hasNext: false },
    '1,301–1,303 of 1,303 people · page 53 of 53',
  ],
  [
    'the last page exactly at the bounded count',
    { total: 1_000, page: 39, hasNext: false },
    '976–1,000 of 1,000 people · page 40 of 40',
  ],
  ['a list with fewer entries than the bound', { total: 999 }, '1–25 of 999 people · page 1 of 40'],
])('%s shows its position', (_name, props, text) => {
  expect(position({ ...props, countedAtMost: 1_000, nouns })).toBe(text)
})

test('a list without a bound shows its exact count', () => {
  expect(position({ total: 1_000, nouns })).toBe('1–25 of 1,000 people · page 1 of 40')
})

test('a list that is loaded as a whole opens any page; one with cursors leads back to the first', async () => {
  const onPage = jest.fn()
  const list = { page: 3, pageSize: 25, count: 25, total: 200, hasNext: true, onPage }
  renderScreen(<Pager {...list} canJump />)
  await userEvent.selectOptions(screen.getByLabelText('Page'), 'Page 7')
  expect(onPage).toHaveBeenLastCalledWith(6)
  cleanup()
  renderScreen(<Pager {...list} />)
  expect(screen.queryByLabelText('Page')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'First' }))
  expect(onPage).toHaveBeenLastCalledWith(0)
})

test('the buttons are the same on every page, so that none moves under the pointer', () => {
  for (const page of [0, 1, 2, 3]) {
    renderScreen(<Pager page={page} pageSize={25} count={25} total={100} hasNext={page < 3} onPage={() => {}} />)
    const buttons = screen.getAllByRole('button')
    expect(buttons.map(button => button.textContent)).toEqual(['First', 'Previous', 'Next'])
    const isInert = buttons.map(button => button.getAttribute('aria-disabled') === 'true')
    expect(isInert).toEqual([page === 0, page === 0, page === 3])
    cleanup()
  }
})

test('a list of two pages needs no way to the first one', () => {
  renderScreen(<Pager page={1} pageSize={25} count={5} total={30} hasNext={false} onPage={() => {}} />)
  expect(screen.queryByRole('button', { name: 'First' })).toBeNull()
})
