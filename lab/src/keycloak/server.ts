import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { findProgram } from '../../../tools/src/provision/programs.ts'
import { ProvisionError } from '../../../tools/src/provision/types.ts'
import { until } from '../../../tools/src/provision/wait.ts'

export interface Keycloak {
  url: string
  stop(): Promise<void>
}

/** Of everybody in this Keycloak, which nobody else reaches and which forgets everything. */
export const password = 'watchline-keycloak'

/** At the first start Keycloak builds itself: a minute, and several on a busy machine. */
const startLimitMs = 10 * 60_000
const keptOutput = 4_000

/** Starts Keycloak for development on a free loopback port, with its data in memory. */
export async function startKeycloak(folder: string): Promise<Keycloak> {
  if (!findProgram('java')) throw new ProvisionError('Keycloak needs Java 17 or newer, which is not on PATH')
  const [port, managementPort] = [await freePort(), await freePort()]
  const child = spawn(
    join(folder, 'bin', 'kc.sh'),
    [
      'start-dev',
      '--db=dev-mem',
      '--http-host=127.0.0.1',
      `--http-port=${port}`,
      `--http-management-port=${managementPort}`,
      '--log-level=warn',
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // The script and Java are one group, so that both end together.
      detached: true,
      env: { ...process.env, KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: password },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-keptOutput)
    })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null && child.pid) process.kill(-child.pid, name)
  }
  // Also when this program is interrupted.
  process.once('exit', () => signal('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${url}/realms/master`)).ok, {
    condition: 'Keycloak answers',
    limitMs: startLimitMs,
    everyMs: 500,
    stopReason: () => (child.exitCode === null ? undefined : `it ended:\n${output}`),
  })
  return {
    url,
    stop: async () => {
      signal('SIGTERM')
      await exited
    },
  }
}
