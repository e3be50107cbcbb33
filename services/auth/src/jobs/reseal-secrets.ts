import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { AuthContext } from '../context.ts'

const pauseMs = 3_600_000

type Deps = Pick<AuthContext, 'secondFactors' | 'secretBox' | 'sessions' | 'providerTokenBox' | 'log'>

/**
 * Seals stored secrets with the current cookie secret. Those of authenticator apps are few and
 * finished before the service is ready. Tokens of providers are as many as sessions, so they follow
 * in the background. Repeats, because a replica that still has the previous setting may store more.
 */
export function createResealing({ secondFactors, secretBox, sessions, providerTokenBox, log }: Deps): Lifecycle {
  const stopping = new AbortController()
  let firstRun: Promise<void> | undefined

  async function resealTokens() {
    const count = await sessions.resealProviderTokens(providerTokenBox, stopping.signal)
    if (count > 0 && !stopping.signal.aborted)
      log.info({ count }, 'tokens of sign-in providers sealed with the current cookie secret')
  }

  const logFailure = (error: unknown) =>
    log.warn({ err: error }, 'sealing with the current cookie secret failed, retrying in an hour')
  const job = createRepeatedJob(
    async () => {
      await secondFactors.resealAll(secretBox.reseal)
      await resealTokens()
    },
    { pauseMs, jitter: true, onError: logFailure },
  )
  return {
    start: async () => {
      await secondFactors.resealAll(secretBox.reseal)
      firstRun = resealTokens().catch(logFailure)
      job.start()
    },
    stop: async () => {
      stopping.abort()
      await firstRun
      await job.stop()
    },
  }
}
