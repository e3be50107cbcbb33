import { createHmac } from 'node:crypto'
import type { AuthConfig } from '../../config.ts'
import { problemPage } from './account-page.ts'
import type { ProviderStore, SigningJwk } from './provider-store.ts'

export const developmentClient = { id: 'watchline', mount: '/oidc' }
export const developmentProviderName = 'the development provider'
export const sessionCookie = 'watchline_dev_session'

const interactionTtlS = 3_600

/**
 * The configuration of oidc-provider, except for sign-in prompts and grants, which need the library
 * itself.
 */
export function createOidcConfiguration(
  config: AuthConfig,
  { adapter }: ProviderStore,
  signingKey: SigningJwk,
  findName: (email: string) => Promise<string>,
): Record<string, unknown> {
  return {
    adapter,
    jwks: { keys: [signingKey] },
    clients: [
      {
        client_id: developmentClient.id,
        redirect_uris: [`${config.publicUrl}/api/auth/callback`],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: signingKey.alg,
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: { enabled: false },
      // The ID token has all claims.
      userinfo: { enabled: false },
    },
    cookies: {
      keys: config.cookieSecrets.map(secret =>
        createHmac('sha256', secret).update('development provider').digest('hex'),
      ),
      names: {
        session: sessionCookie,
        interaction: 'watchline_dev_interaction',
        resume: 'watchline_dev_resume',
      },
      long: { path: developmentClient.mount, httpOnly: true, sameSite: 'lax' },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      IdToken: 300,
      Grant: 600,
      Session: 600,
      Interaction: interactionTtlS,
    },
    clientBasedCORS: () => false,
    // No session is stored.
    expiresWithSession: () => false,
    findAccount: async (_ctx: unknown, email: string) => ({
      accountId: email,
      claims: async () => ({ sub: email, email, email_verified: true, name: await findName(email) }),
    }),
    renderError: (ctx: { type: string; body: string }, error: { error: string; error_description?: string }) => {
      ctx.type = 'html'
      ctx.body = problemPage(error.error_description ?? error.error)
    },
  }
}
