import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { AuthContext } from '../context.ts'
import type { FailedSignIns } from '../store/failed-sign-ins.ts'

const pauseMs = 60_000
const windowsAtOnce = 100

type Deps = Pick<AuthContext, 'failedSignIns' | 'people' | 'audit' | 'outbox' | 'clock' | 'log'>

/** Writes one audit entry for each window of failed sign-ins, once the window is over. */
export function createFailedSignInAudit(deps: Deps): Lifecycle {
  async function run() {
    for (const window of await deps.failedSignIns.findUnaudited(deps.clock.now(), windowsAtOnce))
      await auditWindow(deps, window)
  }
  const failed = (error: unknown) =>
    deps.log.warn({ err: error }, 'failed sign-ins not written to the audit log, retrying')
  const job = createRepeatedJob(run, { pauseMs, jitter: true, onError: failed })
  return {
    start: async () => {
      await run().catch(failed)
      job.start()
    },
    stop: job.stop,
  }
}

async function auditWindow(
  { failedSignIns, people, audit, outbox, clock }: Deps,
  window: FailedSignIns,
): Promise<void> {
  const { id, personId, count, firstAt, lastAt, networks } = window
  const subject = personId === null ? null : ((await people.byId(personId)) ?? null)
  const isOneNetwork = networks.length === 1
  const after = {
    attempts: count,
    first_at: new Date(firstAt).toISOString(),
    last_at: new Date(lastAt).toISOString(),
    ...(!isOneNetwork && { networks: networks.join(', ') }),
  }
  await outbox.transaction(async tx => {
    if (!(await failedSignIns.markAudited(id, tx.session))) return
    await audit.add(
      {
        // Not the time of the attempts: entries expire in the order of the chain.
        at: clock.now(),
        action: 'admin_sign_in_failed',
        by: null,
        subject,
        before: {},
        after,
        address: isOneNetwork ? networks[0]! : null,
      },
      tx.session,
    )
  })
}
