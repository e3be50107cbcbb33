import type { TestWorld } from '@watchline/testing/harness'
import type { AuthConfig } from '../src/config.ts'

/** The defaults of the settings. */
export const testLifetimes = {
  people: { idleMs: 12 * 3_600_000, absoluteMs: 30 * 24 * 3_600_000 },
  admins: { idleMs: 30 * 60_000, absoluteMs: 12 * 3_600_000 },
}

/** Valid settings of auth for tests. */
export function authConfig(
  { config, privateKey }: Pick<TestWorld, 'config' | 'privateKey'>,
  settings: Partial<AuthConfig> = {},
): AuthConfig {
  return {
    ...config,
    publicUrl: 'http://watchline.localhost:8080',
    tokenPrivateKey: privateKey,
    refreshSecrets: ['refresh secret of the tests, 32 letters or more'],
    cookieSecrets: ['cookie secret of the tests, 32 letters or more'],
    oidcIssuer: undefined,
    oidcClientId: undefined,
    oidcClientSecret: undefined,
    oidcUntypedLogout: false,
    oidcAcrValues: [],
    oidcMaxAgeS: undefined,
    oidcDailyCheck: 'auto',
    oidcClaimsFromUserInfo: false,
    oidcName: 'the test provider',
    oidcProviders: [],
    claimNames: ['groups', 'roles'],
    emailPolicy: { requireVerified: false, allowedDomains: [] },
    oidcAdminClaim: undefined,
    adminSetupToken: undefined,
    privacyContact: undefined,
    privacyUrl: undefined,
    adminSecondFactor: 'optional',
    allowAnybodyToSignInAsAnybody: false,
    sessionLifetimes: testLifetimes,
    signOutAtProvider: true,
    playbackUrl: 'http://127.0.0.1:9',
    engagementUrl: 'http://127.0.0.1:9',
    chatUrl: 'http://127.0.0.1:9',
    ...settings,
  }
}
