import { describe, expect, test } from '@jest/globals'
import { readGatewayConfig } from '../src/config.ts'
import { createRateLimits, type RateLimitedCaller } from '../src/limits/rate-limits.ts'

const { rateLimits, connectionsPerAddress } = readGatewayConfig({
  TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----\\nabc\\n-----END PUBLIC KEY-----',
  CSRF_SECRET: 'x'.repeat(32),
  MEDIA_SECRET: 'm'.repeat(32),
})

const people = 1_000
const office = '203.0.113.7'
/** The first page with its files, and the page to which the provider redirects. */
const filesBeforeSignIn = 12
/**
 * The dashboard's files, and those that the service worker stores. web/test/build.test.ts bounds
 * both.
 */
const filesAfterSignIn = 400
/** Options, sign-in, callback and login. */
const callsBeforeSignIn = 4

const stranger: RateLimitedCaller = { personId: undefined, isExpired: true, address: office }
const inSession = (index: number): RateLimitedCaller => ({
  personId: `person-${index}`,
  isExpired: false,
  address: office,
})

describe('the default limits for a thousand people behind one address', () => {
  /** Lets everybody visit once, evenly within this time. Returns how many calls were refused. */
  function countRefusals(withinMs: number, visit: (index: number, now: number) => (number | undefined)[]): number {
    let refused = 0
    for (let index = 0; index < people; index += 1)
      refused += visit(index, 1e12 + Math.floor((index * withinMs) / people)).filter(wait => wait !== undefined).length
    return refused
  }
  const times = <T>(count: number, call: () => T) => Array.from({ length: count }, call)

  test('let all of them open Watchline for the first time and sign in within 30 s', () => {
    const limits = createRateLimits(rateLimits)
    const refused = countRefusals(30_000, (index, now) => [
      ...times(filesBeforeSignIn, () => limits.consumePage(stranger, now)),
      ...times(callsBeforeSignIn - 1, () => limits.consume({ ...stranger, signIn: false }, now)),
      limits.consume({ ...stranger, signIn: true }, now),
      ...times(filesAfterSignIn, () => limits.consumePage(inSession(index), now)),
    ])
    expect(refused).toBe(0)
  })

  test('let every browser open six connections, as browsers do with HTTP/1.1', () => {
    expect(connectionsPerAddress).toBeGreaterThanOrEqual(6 * people)
  })

  test.each([
    ['a session', (index: number) => inSession(index)],
    ['a known browser', (index: number) => ({ ...inSession(index), isExpired: true })],
  ])('let all of them load a new version at the same moment with %s, also beside an attacker', (_name, callerOf) => {
    const limits = createRateLimits(rateLimits)
    while (limits.consumePage(stranger, 1e12) === undefined);
    const refused = countRefusals(0, (index, now) =>
      times(filesAfterSignIn, () => limits.consumePage(callerOf(index), now)),
    )
    expect(refused).toBe(0)
  })

  test('let a person load a new version on three devices at the same moment', () => {
    const limits = createRateLimits(rateLimits)
    const waits = times(3 * filesAfterSignIn, () => limits.consumePage(inSession(1), 1e12))
    expect(waits.filter(wait => wait !== undefined)).toEqual([])
  })

  test.each([
    ['without a session', stranger],
    ['with a session', inSession(1)],
    ['with the cookie of a known browser', { ...inSession(1), isExpired: true }],
  ])('bound what one of them may load %s', (_name, caller) => {
    const limits = createRateLimits(rateLimits)
    const now = 1e12
    let passed = 0
    while (limits.consumePage(caller, now) === undefined) passed += 1
    expect(passed).toBe(rateLimits && (caller.personId ? 2 * rateLimits.session : rateLimits.page))
    expect(limits.consumePage(caller, now + 100)).toBeUndefined()
  })
})
