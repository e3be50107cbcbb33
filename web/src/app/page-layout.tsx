import { setupListeners } from '@reduxjs/toolkit/query'
import { useEffect, useState } from 'react'
import { Outlet } from 'react-router'
import { PersonStream } from './person-stream.tsx'
import { AppProviders } from './providers.tsx'
import { makeStore } from './store.ts'
import { useTabIcon } from './tab-icon.ts'

/**
 * Layout of every page behind the sign-in. Its store ends with the session, so signing out leaves
 * no data behind.
 */
export function PageLayout() {
  const [store] = useState(makeStore)
  useTabIcon()
  useEffect(() => setupListeners(store.dispatch), [store])
  return (
    <AppProviders store={store}>
      <PersonStream />
      <Outlet />
    </AppProviders>
  )
}
