import { expect, jest, test } from '@jest/globals'
import { render, screen } from '@testing-library/react'
import { deferred } from '../../../src/ui/feedback/deferred.tsx'

const rendered = jest.fn()

const Greeting = deferred(({ name }: { name: string }) => {
  rendered(name)
  return <p>Hello {name}</p>
})

test('new props are rendered once, by the deferred render only', () => {
  const { rerender } = render(<Greeting name="you" />)
  rerender(<Greeting name="all" />)
  expect(screen.queryByText('Hello all')).not.toBeNull()
  expect(rendered.mock.calls).toEqual([['you'], ['all']])
  rerender(<Greeting name="all" />)
  expect(rendered).toHaveBeenCalledTimes(2)
})
