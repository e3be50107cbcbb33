import { MantineProvider } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Provider } from 'react-redux'
import { gateway } from '../api/gateway.ts'
import { leavePage } from '../api/leave-page.ts'
import { clearResponses } from '../api/response-cache.ts'
import { onSessionEnded, send } from '../api/send.ts'
import { AlertProvider } from '../ui/feedback/alerts.tsx'
import { clearPersonStorage } from './sign-out/clear-person-storage.ts'
import { announceSignOut } from './sign-out/other-tabs.ts'
import type { AppStore } from './store.ts'
import { cssVariablesResolver, theme } from './theme.ts'

interface AppProvidersProps {
  store: AppStore
  children: ReactNode
  /** 'test' turns animations off. */
  env?: 'default' | 'test'
}

/** The providers that every screen behind the sign-in needs. */
export function AppProviders({ store, children, env }: AppProvidersProps) {
  useEffect(() => onSessionEnded(() => clearSession(store)), [store])
  return (
    <Provider store={store}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        env={env}
        withGlobalClasses={false}
      >
        <AlertProvider>{children}</AlertProvider>
      </MantineProvider>
    </Provider>
  )
}

/**
 * Leaves in this browser what a sign-out would leave, because somebody else may use it next. Pages
 * that need a person redirect to the sign-in. A deactivated person gets the page that says so
 * instead, because the sign-in would only fail.
 */
async function clearSession({ dispatch, getState }: AppStore): Promise<void> {
  const person = gateway.endpoints.getSession.select()(getState()).data
  if (!person) return
  clearPersonStorage(person.id)
  clearResponses()
  announceSignOut(person.id)
  void dispatch(gateway.util.upsertQueryData('getSession', undefined, null))
  const result = await send({ method: 'POST', path: '/auth/refresh', body: {} })
  if (!result.ok && result.failure.code === 'deactivated') leavePage.to('/profile?error=deactivated')
}
