import { MantineProvider } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { Provider } from 'react-redux'
import { accountRefusalAddress, accountRefusalOf, requestEndReason } from '../api/account-refusal.ts'
import { gateway } from '../api/gateway.ts'
import { leavePage } from '../api/leave-page.ts'
import { onSessionEnded, type SessionEndSource } from '../api/send.ts'
import { AlertProvider } from '../ui/feedback/alerts.tsx'
import { SessionEndingContext } from './session-ending.ts'
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
  const [isEnding, setEnding] = useState(false)
  useEffect(() => onSessionEnded(source => endSession(store, source, setEnding)), [store])
  return (
    <Provider store={store}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        env={env}
        withGlobalClasses={false}
      >
        <SessionEndingContext value={isEnding}>
          <AlertProvider>{children}</AlertProvider>
        </SessionEndingContext>
      </MantineProvider>
    </Provider>
  )
}

/**
 * Leaves in this browser what a sign-out would leave, because somebody else may use it next. Pages
 * that need a person redirect to the sign-in, also if the reason cannot be asked for. The person of
 * a deactivated or erased account gets the page that says so instead. Until the answer, neither is
 * shown. A frozen tab may read the message of another tab late. It must not pass it on, because the
 * person may have signed in again.
 */
async function endSession(
  { dispatch, getState }: AppStore,
  source: SessionEndSource,
  setEnding: (isEnding: boolean) => void,
): Promise<void> {
  const person = gateway.endpoints.getSession.select()(getState()).data
  if (!person) return
  if (source === 'server') clearPersonDataInAllTabs(person.id)
  else clearPersonData(person.id)
  setEnding(true)
  void dispatch(gateway.util.upsertQueryData('getSession', undefined, null))
  const result = await requestEndReason()
  const refusal = result.ok ? undefined : accountRefusalOf(result.failure)
  if (refusal) leavePage.to(accountRefusalAddress(refusal))
  else setEnding(false)
}
