import { setupListeners } from '@reduxjs/toolkit/query'
import { useEffect, useState } from 'react'
import { Outlet } from 'react-router'
import { PersonStream } from './person-stream.tsx'
import { AppProviders } from './providers.tsx'
import { makeStore } from './store.ts'

/** Everything behind the sign-in page. The store lives as long as the person stays: signing out leaves nothing behind. */
export function PageLayout() {
  const [store] = useState(makeStore)
  useEffect(() => setupListeners(store.dispatch), [store])
  return (
    <AppProviders store={store}>
      <PersonStream />
      <Outlet />
    </AppProviders>
  )
}
