import { useCallback, useEffect, useState } from 'react'
import { PageLoading, PageState } from '../../../ui/feedback/page-state.tsx'
import { LoadFailed } from '../../../ui/feedback/states.tsx'
import { AdminLogin } from './admin-login.tsx'
import { AdminSetup } from './admin-setup.tsx'
import { type Probe, probeSetup } from './setup-probe.ts'

/** /admin without a signed-in administrator: setup if there is none yet, else login. */
export function AdminEntrance() {
  const [probe, setProbe] = useState<Probe>()
  const [isProbing, setProbing] = useState(false)

  const runProbe = useCallback(async () => {
    setProbing(true)
    setProbe(await probeSetup())
    setProbing(false)
  }, [])

  useEffect(() => {
    void runProbe()
  }, [runProbe])

  if (!probe) return <PageLoading />
  switch (probe.show) {
    case 'login':
      return <AdminLogin />
    case 'setup':
      return <AdminSetup tokenRequired={probe.tokenRequired} onDone={() => setProbe({ show: 'login' })} />
    case 'failed':
      return (
        <PageState title="Watchline cannot be reached">
          <LoadFailed
            message="The admin area could not be opened. Please try again."
            failure={probe.failure}
            onRetry={runProbe}
            retrying={isProbing}
          />
        </PageState>
      )
  }
}
