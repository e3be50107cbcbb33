import { afterEach, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { RouteFocus } from '../../src/app/route-focus.tsx'
import { renderPlain } from '../support/render.tsx'

let navigate: ReturnType<typeof useNavigate>
let finishLoading: () => void

/** A page that first has the content of its loading state, and then its own. */
function Page() {
  navigate = useNavigate()
  const [isLoading, setLoading] = useState(true)
  finishLoading = () => setLoading(false)
  return (
    <>
      <RouteFocus />
      <button type="button">Menu</button>
      {isLoading ? (
        <main id="main" key="loading" tabIndex={-1}>
          Loading
        </main>
      ) : (
        <main id="main" key="page" tabIndex={-1}>
          The page
        </main>
      )}
    </>
  )
}

afterEach(cleanup)

test('after a navigation the content has the focus, also when it replaces the loading state', async () => {
  renderPlain(<Page />)
  expect(document.activeElement).toBe(document.body)
  act(() => void navigate('/dashboard'))
  expect(document.activeElement).toBe(screen.getByText('Loading'))
  act(() => finishLoading())
  await waitFor(() => expect(document.activeElement).toBe(screen.getByText('The page')))
})

test('after the person has acted, the focus is left alone', async () => {
  renderPlain(<Page />)
  act(() => void navigate('/dashboard'))
  fireEvent.keyDown(document.body, { key: 'Tab' })
  act(() => screen.getByRole('button', { name: 'Menu' }).focus())
  act(() => finishLoading())
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Menu' }))
})
