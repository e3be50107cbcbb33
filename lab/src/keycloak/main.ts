/*
 * A real Keycloak to try sign-in with. Without an argument it starts Keycloak with a realm, groups
 * and people, prints the settings to start Watchline with, and runs until it is interrupted.
 *
 * With --check it also starts Watchline and signs people in through Keycloak's own form. It checks
 * roles and marks, the ends of sessions (back-channel logout, sign-out, daily check) and a new
 * signing key, and exits with 1 after a failure. Environment:
 *
 * - KEYCLOAK_VERSION (26.0.0): any version of org.keycloak:keycloak-quarkus-dist
 * - WATCHLINE_URL (http://localhost:8080): where people will open Watchline on this machine; not
 *   with --check
 *
 * Needs Java 17 or newer, Maven and unzip. The first run downloads 147 MB into .cache/keycloak.
 * Everything in this Keycloak is in memory, so every start is the same.
 */
import { ProvisionError } from '../../../tools/src/provision/types.ts'
import { watchForInterruption } from '../../../tools/src/start/interruption.ts'
import { runCheck } from './check.ts'
import { downloadKeycloak } from './download.ts'
import { people, settingsOf, setUpRealm } from './realm.ts'
import { password, startKeycloak } from './server.ts'

const version = process.env.KEYCLOAK_VERSION || '26.0.0'
const isCheck = process.argv.includes('--check')

try {
  const folder = await downloadKeycloak(version, console.log)
  if (isCheck) process.exit((await runCheck(folder)) ? 0 : 1)

  const url = process.env.WATCHLINE_URL || 'http://localhost:8080'
  const keycloak = await startKeycloak(folder)
  const client = await setUpRealm(keycloak, url)
  console.log(`Keycloak ${version} is ready at ${keycloak.url} (administrator: admin, ${password})`)
  for (const person of people)
    console.log(`  ${person.username}, password ${password}, groups: ${person.groups.join(', ') || 'none'}`)
  console.log('Start Watchline in a second window with these settings:')
  const settings = Object.entries(settingsOf(client)).map(([name, value]) => `${name}='${value}'`)
  const { port, protocol } = new URL(url)
  console.log(
    `  PORT=${port || (protocol === 'https:' ? '443' : '80')} PUBLIC_URL='${url}' ${settings.join(' ')} make start`,
  )
  const interruption = watchForInterruption()
  interruption.arm()
  await interruption.signal
  await keycloak.stop()
} catch (error) {
  if (!(error instanceof ProvisionError)) throw error
  console.error(error.message)
  process.exit(1)
}
