import type { TestWorld } from '@watchline/testing/harness'
import type { AuthConfig } from '../src/config.ts'

/** Valid settings of auth for tests. */
export function authConfig(
  { config, privateKey }: Pick<TestWorld, 'config' | 'privateKey'>,
  settings: Partial<AuthConfig> = {},
): AuthConfig {
  return {
    ...config,
    publicUrl: 'http://watchline.test:8080',
    tokenPrivateKey: privateKey,
    refreshSecret: 'refresh secret of the tests, 32 letters or more',
    cookieSecret: 'cookie secret of the tests, 32 letters or more',
    oidcIssuer: undefined,
    oidcClientId: undefined,
    oidcClientSecret: undefined,
    oidcName: 'the test provider',
    adminSetupToken: undefined,
    ...settings,
  }
}
