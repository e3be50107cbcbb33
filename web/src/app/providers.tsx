import { MantineProvider } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Provider } from 'react-redux'
import { gateway } from '../api/gateway.ts'
import { leavePage } from '../api/leave-page.ts'
import { clearResponses } from '../api/response-cache.ts'
import { onSessionEnded, send } from '../api/send.ts'
import { AlertProvider } from '../ui/alerts.tsx'
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
 * Pages that need a person redirect to the sign-in. A deactivated person gets the page that says so
 * instead, because the sign-in would only fail.
 */
async function clearSession({ dispatch, getState }: AppStore): Promise<void> {
  const person = gateway.endpoints.getSession.select()(getState()).data
  if (!person) return
  clearResponses()
  void dispatch(gateway.util.upsertQueryData('getSession', undefined, null))
  const result = await send({ method: 'POST', path: '/auth/refresh', body: {} })
  if (!result.ok && result.failure.code === 'deactivated') leavePage.to('/profile?error=deactivated')
}
