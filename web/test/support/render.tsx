import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter, useLocation } from 'react-router'
import { AppProviders } from '../../src/app/providers.tsx'
import { makeStore } from '../../src/app/store.ts'

/** The router's address, for tests to read: `screen.getByTestId('address')`. */
function Address() {
  const { pathname, search } = useLocation()
  return <span data-testid="address">{pathname + search}</span>
}

/** Renders inside a store of its own, theme, alerts, and a router at `at`. */
export function renderScreen(screen: ReactNode, { at = '/dashboard' }: { at?: string } = {}) {
  const store = makeStore()
  const rendered = render(
    <MemoryRouter initialEntries={[at]}>
      <AppProviders store={store} env="test">
        {screen}
      </AppProviders>
      <Address />
    </MemoryRouter>,
  )
  return { ...rendered, store }
}

/** Renders without store and theme, like the sign-in pages. */
export function renderPlain(screen: ReactNode, { at = '/' }: { at?: string } = {}) {
  return render(
    <MemoryRouter initialEntries={[at]}>
      {screen}
      <Address />
    </MemoryRouter>,
  )
}
