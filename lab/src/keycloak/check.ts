import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { freePort } from '@watchline/kit/core/free-port'
import { endProcess, spawnNode, waitUntilReady } from '@watchline/testing/processes'
import { until } from '../../../tools/src/provision/wait.ts'
import { createBrowser } from './browser.ts'
import { checkSessionEnds } from './check-session-ends.ts'
import { rotateSigningKey, settingsOf, setUpRealm, supervisorsGroup } from './realm.ts'
import { startKeycloak } from './server.ts'
import { type SignedInUser, signIn } from './sign-in.ts'

const admin = { name: 'First Admin', email: 'admin@example.org', password: 'a password for this check' }
/** Watchline asks a provider for unknown keys at most once a minute. */
const keyLimitMs = 3 * 60_000

/** Signs people in through a real Keycloak. True if everything is as expected. */
export async function runCheck(keycloakFolder: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'watchline-keycloak-'))
  const url = `http://localhost:${await freePort()}`
  const keycloak = await startKeycloak(keycloakFolder)
  const client = await setUpRealm(keycloak, url)
  const watchline = spawnNode(['tools/src/start/main.ts'], ['ignore', 'pipe', 'pipe'], {
    ...settingsOf(client),
    PORT: new URL(url).port,
    PUBLIC_URL: url,
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
  })
  const logLines = collectLines(watchline.stdout!)
  let failures = 0
  const expect = (fact: string, isTrue: boolean, seen: unknown) => {
    console.log(`${isTrue ? 'ok  ' : 'FAIL'} ${fact}: ${JSON.stringify(seen)}`)
    if (!isTrue) failures += 1
  }
  try {
    await waitUntilReady(watchline)
    const office = createBrowser(url)
    await office.call('POST', '/admin/setup', admin)
    await office.call('POST', '/admin/login', admin)
    const rules = [{ claim: 'groups', value: supervisorsGroup, role: 'supervisor' }]
    const saved = await office.call('PUT', '/admin/claim-rules', { rules, version: 0, password: admin.password })
    expect('the rule is saved', saved.status === 200, saved.body.rules)

    const { user: lead } = await signIn(url, 'lead')
    expect('a member of the group is a supervisor', lead.role === 'supervisor', pick(lead))
    expect('their address is verified', lead.email_verified === true, lead.email_verified)
    const { user: trainee } = await signIn(url, 'trainee')
    expect('others are users', trainee.role === 'user', pick(trainee))
    const { user: newcomer } = await signIn(url, 'newcomer')
    expect('an unverified address is marked', newcomer.email_verified === false, pick(newcomer))

    const preview = await office.call('POST', '/admin/claim-rules/preview', {
      rules: [{ ...rules[0], role: 'director' }],
    })
    const { changes = [] } = preview.body
    expect('the preview lists the member', changes.length === 1 && changes[0].role_after === 'director', changes)
    const { body: entries } = await office.call('GET', '/admin/audit?action=role_changed')
    expect('the audit log names the claim', entries[0]?.after.claim_value === supervisorsGroup, entries[0]?.after)

    await checkSessionEnds({ url, keycloak, dataDir: folder, logLines, expect })

    await rotateSigningKey(keycloak)
    const { user: again } = await until(() => signIn(url, 'lead').catch(() => undefined), {
      condition: 'a token of the new key is accepted',
      limitMs: keyLimitMs,
      everyMs: 5_000,
    })
    expect('a token of a new key is accepted, for the same person', again.id === lead.id, pick(again))
  } finally {
    await endProcess(watchline, 'SIGTERM')
    await keycloak.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(failures === 0 ? 'Everything is as expected.' : `${failures} of these are wrong.`)
  return failures === 0
}

/** The complete lines of a stream so far; the array grows. */
function collectLines(stream: Readable): string[] {
  const lines: string[] = []
  createInterface(stream).on('line', line => lines.push(line))
  return lines
}

function pick({ email, role, email_verified }: SignedInUser) {
  return { email, role, email_verified }
}
