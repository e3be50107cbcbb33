import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { endProcess, spawnNode, waitUntilReady } from '@watchline/testing/processes'
import { until } from '../../../tools/src/provision/wait.ts'
import { type Browser, createBrowser } from './browser.ts'
import { rotateSigningKey, settingsOf, setUpRealm, supervisorsGroup } from './realm.ts'
import { password, startKeycloak } from './server.ts'

const admin = { name: 'First Admin', email: 'admin@example.org', password: 'a password for this check' }
/** Watchline asks a provider for unknown keys at most once a minute. */
const keyLimitMs = 3 * 60_000

/** Signs people in through a real Keycloak. True if roles, marks and keys are as expected. */
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
    const saved = await office.call('PUT', '/admin/claim-rules', { rules, version: 0 })
    expect('the rule is saved', saved.status === 200, saved.body.rules)

    const lead = await signIn(url, 'lead')
    expect('a member of the group is a supervisor', lead.role === 'supervisor', pick(lead))
    expect('their address is verified', lead.email_verified === true, lead.email_verified)
    const trainee = await signIn(url, 'trainee')
    expect('others are users', trainee.role === 'user', pick(trainee))
    const newcomer = await signIn(url, 'newcomer')
    expect('an unverified address is marked', newcomer.email_verified === false, pick(newcomer))

    const preview = await office.call('POST', '/admin/claim-rules/preview', {
      rules: [{ ...rules[0], role: 'director' }],
    })
    const { changes = [] } = preview.body
    expect('the preview lists the member', changes.length === 1 && changes[0].role_after === 'director', changes)
    const { body: entries } = await office.call('GET', '/admin/audit?action=role_changed')
    expect('the audit log names the claim', entries[0]?.after.claim_value === supervisorsGroup, entries[0]?.after)

    await rotateSigningKey(keycloak)
    const again = await until(() => signIn(url, 'lead').catch(() => undefined), {
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

interface SignedInUser {
  id: string
  email: string
  role: string
  email_verified?: boolean
}

/** Fills in Keycloak's form, as a person in a new browser. */
async function signIn(url: string, username: string): Promise<SignedInUser> {
  const browser: Browser = createBrowser(url)
  const form = await browser.open('/api/auth/signin')
  const action = /<form[^>]*id="kc-form-login"[^>]*action="([^"]+)"/.exec(form.text)?.[1]?.replaceAll('&amp;', '&')
  if (!action) throw new Error(`no form of Keycloak at ${form.url.origin}${form.url.pathname} (${form.status})`)
  const end = await browser.open(action, { method: 'POST', body: new URLSearchParams({ username, password }) })
  const sessionId = new URLSearchParams(end.url.hash.slice(1)).get('session_id')
  if (!sessionId) throw new Error(`the sign-in ended at ${end.url}`)
  const { status, body } = await browser.call('POST', '/auth/login', { session_id: sessionId })
  if (status !== 200) throw new Error(`Watchline answered ${status} ${JSON.stringify(body)}`)
  // A new request with the cookies, as the first page makes.
  return (await browser.call('GET', '/auth/profile')).body
}

function pick({ email, role, email_verified }: SignedInUser) {
  return { email, role, email_verified }
}
