import mongoose from 'mongoose'
import { runningMongo } from '../../../tools/src/provision/mongo.ts'
import { until } from '../../../tools/src/provision/wait.ts'
import type { Browser } from './browser.ts'
import { disableUser, endAllSessions, endSession, listSessions } from './realm.ts'
import type { Keycloak } from './server.ts'
import { signIn } from './sign-in.ts'

export interface CheckedSystem {
  url: string
  keycloak: Keycloak
  /** The data folder of Watchline. */
  dataDir: string
  /** Everything that Watchline has logged so far. */
  logLines: readonly string[]
  /** Reports one fact. */
  expect(fact: string, isTrue: boolean, seen: unknown): void
}

const limitMs = 30_000
const hourMs = 3_600_000

/** Sessions end by sign-out at Keycloak, by sign-out here, and because an account is disabled. */
export async function checkSessionEnds(system: CheckedSystem): Promise<void> {
  await checkBackchannelLogout(system)
  await checkSignOut(system)
  await checkDailyCheck(system)
}

/** Keycloak tells Watchline by itself; the person's browser only asks who it is. */
async function checkBackchannelLogout({ url, keycloak, expect }: CheckedSystem): Promise<void> {
  await endAllSessions(keycloak, 'trainee')
  const { browser: first } = await signIn(url, 'trainee')
  const [session = ''] = await listSessions(keycloak, 'trainee')
  const { browser: second } = await signIn(url, 'trainee')
  await endSession(keycloak, session)
  expect('the end of a session at Keycloak ends the session here', ...(await becomesSignedOut(first)))
  const secondStatus = await profileStatus(second)
  expect('another session of the person continues', secondStatus === 200, secondStatus)
  await endAllSessions(keycloak, 'trainee')
  expect('the end of all sessions at Keycloak ends it, too', ...(await becomesSignedOut(second)))
}

async function checkSignOut({ url, keycloak, expect }: CheckedSystem): Promise<void> {
  await endAllSessions(keycloak, 'newcomer')
  const { browser } = await signIn(url, 'newcomer')
  const { status, body } = await browser.call('POST', '/auth/logout')
  const signOutUrl: string | undefined = body?.sign_out_url
  expect('a sign-out leads to Keycloak', status === 200 && signOutUrl?.startsWith(keycloak.url) === true, signOutUrl)
  const question = await browser.open(signOutUrl ?? '/')
  const end = await browser.submitForm(question, 'logout-confirm', { confirmLogout: 'Logout' })
  expect('Keycloak leads back to the sign-in page', end.url.href === `${url}/` && end.status === 200, end.url.href)
  const sessions = await listSessions(keycloak, 'newcomer')
  expect('the session at Keycloak has ended', sessions.length === 0, sessions)
}

async function checkDailyCheck({ url, keycloak, dataDir, logLines, expect }: CheckedSystem): Promise<void> {
  const { browser, user } = await signIn(url, 'leaver')
  const client = await mongoose.mongo.MongoClient.connect((await runningMongo(`${dataDir}/mongo`))!)
  try {
    const sessions = client
      .db('watchline-auth')
      .collection<{ person_id: string; provider_token?: string; provider_check_at?: Date }>('sessions')
    const makeDue = () =>
      sessions.updateOne(
        { person_id: user.id, provider_check_at: { $exists: true } },
        { $set: { provider_check_at: new Date(Date.now() - 1) } },
      )
    const { modifiedCount } = await makeDue()
    expect('Keycloak gives a token for the daily check', modifiedCount === 1, modifiedCount)
    const renewed = await browser.call('POST', '/auth/refresh', {})
    const next = (await sessions.findOne({ person_id: user.id }))?.provider_check_at?.getTime() ?? 0
    // After a check without an answer it would be an hour.
    const isChecked = next > Date.now() + 23 * hourMs
    expect('a session whose check is due continues', renewed.status === 200 && isChecked, {
      status: renewed.status,
      next: new Date(next),
    })

    await disableUser(keycloak, 'leaver')
    // Keycloak reports no sign-out when an administrator disables an account.
    const between = await browser.call('POST', '/auth/refresh', {})
    expect('until the next check a disabled account stays signed in', between.status === 200, between.status)
    await makeDue()
    const refused = await browser.call('POST', '/auth/refresh', {})
    const isRefused = refused.status === 401 && refused.body.code === 'no_session'
    expect('the next check ends the session of a disabled account', isRefused, refused)
    const profile = await profileStatus(browser)
    expect('its access token is worth nothing', profile === 401, profile)
    const event = await until(async () => logLines.find(line => line.includes('provider_account_refused')), {
      condition: 'the log has the security event',
      limitMs,
    }).catch(() => undefined)
    const isOfPerson = event?.includes(user.id) === true
    expect('the log has the security event provider_account_refused', isOfPerson, event)
  } finally {
    await client.close()
  }
}

/** Whether calls of this browser are refused, sooner or later, and the last status. */
async function becomesSignedOut(browser: Browser): Promise<[boolean, number]> {
  const isSignedOut = async () => (await profileStatus(browser)) === 401
  await until(isSignedOut, { condition: 'the session has ended', limitMs }).catch(() => {})
  const refresh = await browser.call('POST', '/auth/refresh', {})
  return [(await isSignedOut()) && refresh.status === 401, refresh.status]
}

async function profileStatus(browser: Browser): Promise<number> {
  return (await browser.call('GET', '/auth/profile')).status
}
