import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { type InitialEntry, MemoryRouter, useLocation } from 'react-router'
import { AppProviders } from '../../src/app/providers.tsx'
import { makeStore } from '../../src/app/store.ts'

/** Shows the router's address. Tests read it with `screen.getByTestId('address')`. */
function Address() {
  const { pathname, search } = useLocation()
  return <span data-testid="address">{pathname + search}</span>
}

/** Renders a screen with its own store, theme, alerts, and a router at the address `at`. */
export function renderScreen(screen: ReactNode, { at = '/dashboard' }: { at?: InitialEntry } = {}) {
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

/** Renders a screen without store and theme, as the sign-in pages do. */
export function renderPlain(screen: ReactNode, { at = '/' }: { at?: string } = {}) {
  return render(
    <MemoryRouter initialEntries={[at]}>
      {screen}
      <Address />
    </MemoryRouter>,
  )
}
