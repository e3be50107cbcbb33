import { MantineProvider } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Provider } from 'react-redux'
import { gateway } from '../api/gateway.ts'
import { leavePage } from '../api/leave-page.ts'
import { createRefreshCall, onSessionEnded, type SessionEndSource, send } from '../api/send.ts'
import { AlertProvider } from '../ui/feedback/alerts.tsx'
import { clearPersonData, clearPersonDataInAllTabs } from './sign-out/clear-person-data.ts'
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
  useEffect(() => onSessionEnded(source => clearSession(store, source)), [store])
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
 * instead, because the sign-in would only fail. A frozen tab may read the message of another tab
 * late. It must not pass it on, because the person may have signed in again.
 */
async function clearSession({ dispatch, getState }: AppStore, source: SessionEndSource): Promise<void> {
  const person = gateway.endpoints.getSession.select()(getState()).data
  if (!person) return
  if (source === 'server') clearPersonDataInAllTabs(person.id)
  else clearPersonData(person.id)
  void dispatch(gateway.util.upsertQueryData('getSession', undefined, null))
  const result = await send(createRefreshCall())
  if (!result.ok && result.failure.code === 'deactivated') leavePage.to('/profile?error=deactivated')
}
