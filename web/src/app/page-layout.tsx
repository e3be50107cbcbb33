// Before all other styles, which change those of Mantine.
import './mantine-styles.ts'
import { setupListeners } from '@reduxjs/toolkit/query'
import { useEffect, useState } from 'react'
import { Outlet } from 'react-router'
import { gateway } from '../api/gateway.ts'
import { watchUse } from '../api/idle-time.ts'
import { extendSession } from '../api/send.ts'
import { registerWorker } from './offline/register-worker.ts'
import { PersonStream } from './person-stream.tsx'
import { AppProviders } from './providers.tsx'
import { makeStore } from './store.ts'
import { useTabIcon } from './tab-icon.ts'

/** Asks for the profile at once, and not when the code of the page has arrived. */
function makeStoreWithProfile() {
  const store = makeStore()
  void store.dispatch(gateway.endpoints.getSession.initiate())
  return store
}

/**
 * Layout of every page behind the sign-in. Its store ends with the session, so signing out leaves
 * no data behind.
 */
export function PageLayout() {
  const [store] = useState(makeStoreWithProfile)
  useTabIcon()
  useEffect(registerWorker, [])
  useEffect(() => watchUse(() => void extendSession()), [])
  useEffect(() => setupListeners(store.dispatch), [store])
  return (
    <AppProviders store={store}>
      <PersonStream />
      <Outlet />
    </AppProviders>
  )
}
