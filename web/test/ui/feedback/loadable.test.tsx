import { expect, jest, test } from '@jest/globals'
import { render, screen } from '@testing-library/react'
import { Component, type ReactNode } from 'react'
import { loadable } from '../../../src/ui/feedback/loadable.tsx'

function Greeting({ name }: { name: string }) {
  return <p>Hello {name}</p>
}

class Boundary extends Component<{ children: ReactNode }> {
  override state = { failure: '' }
  static getDerivedStateFromError = (error: Error) => ({ failure: error.message })
  override render() {
    return this.state.failure || this.props.children
  }
}

test('shows the fallback, then the component; the code loads once', async () => {
  const importComponent = jest.fn(async () => Greeting)
  const Lazy = loadable(importComponent, <p>Loading</p>)
  const { rerender } = render(<Lazy name="you" />)
  expect(screen.queryByText('Loading')).not.toBeNull()
  await screen.findByText('Hello you')
  rerender(<Lazy name="all" />)
  expect(screen.queryByText('Hello all')).not.toBeNull()
  render(<Lazy name="again" />)
  expect(screen.queryByText('Hello again')).not.toBeNull()
  expect(importComponent).toHaveBeenCalledTimes(1)
})

test('shows preloaded code at once', async () => {
  const code = Promise.resolve(Greeting)
  const Lazy = loadable(() => code, <p>Loading</p>)
  Lazy.preload()
  await code
  render(<Lazy name="you" />)
  expect(screen.queryByText('Hello you')).not.toBeNull()
})

test('a failure reaches the error boundary, also after a preload', async () => {
  const logError = jest.spyOn(console, 'error').mockImplementation(() => {})
  const Lazy = loadable<{ name: string }>(() => Promise.reject(new Error('no such file')))
  Lazy.preload()
  render(
    <Boundary>
      <Lazy name="you" />
    </Boundary>,
  )
  expect(await screen.findByText('no such file')).not.toBeNull()
  logError.mockRestore()
})
