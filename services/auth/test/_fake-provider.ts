import { generateKeyPairSync } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import jwt from 'jsonwebtoken'

// The creation of an RSA key takes a tenth of a second, so a test file has one.
const firstKey = createKey('k')

/** An OpenID Connect provider. The test sets its answers and faults. */
export async function startFakeProvider(clientId: string) {
  const state = {
    /** The published key is the signing key, unless a test replaces one of them. */
    published: firstKey,
    signing: undefined as SigningKey | undefined,
    claims: {} as Record<string, unknown>,
    /** Additional claims for the account of one code. */
    claimsOf: new Map<string, Record<string, unknown>>(),
    /** Additional fields of its answer to a code. */
    tokens: {} as Record<string, unknown>,
    /** Its answers to refresh tokens. */
    renewal: 'granted' as 'granted' | 'refused' | 'wrong client' | 'down',
    userInfo: undefined as Record<string, unknown> | undefined,
    behaviour: 'well' as 'well' | 'never' | 'garbage' | 'error',
    methods: ['client_secret_basic'],
    /** Additional fields of its configuration, which is read at the first sign-in. */
    metadata: {} as Record<string, unknown>,
    tokenRequests: [] as { authorization: string | undefined; body: URLSearchParams }[],
    /** The revoked tokens. Calls with one that begins with `silent` get no answer. */
    revoked: [] as string[],
  }

  const server = createServer(async (req, res) => {
    if (state.behaviour === 'never') return
    if (state.behaviour === 'garbage') return void res.end('<html>')
    const path = new URL(req.url!, issuer).pathname
    if (path === '/.well-known/openid-configuration')
      return json(res, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        token_endpoint_auth_methods_supported: state.methods,
        ...(state.userInfo && { userinfo_endpoint: `${issuer}/userinfo` }),
        ...state.metadata,
      })
    if (path === '/jwks') return json(res, { keys: [state.published.jwk] })
    if (path === '/userinfo') return json(res, { sub: 'subject', ...state.userInfo })
    let text = ''
    for await (const chunk of req) text += chunk
    if (path === '/revoke') {
      const token = new URLSearchParams(text).get('token')!
      state.revoked.push(token)
      return token.startsWith('silent') ? undefined : void res.end()
    }
    state.tokenRequests.push({ authorization: req.headers.authorization, body: new URLSearchParams(text) })
    if (state.behaviour === 'error') {
      res.statusCode = 400
      return json(res, { error: 'invalid_grant', error_description: 'the code is spent' })
    }
    if (new URLSearchParams(text).get('grant_type') === 'refresh_token') {
      if (state.renewal === 'down') return void res.destroy()
      const answer = { access_token: 'a', token_type: 'Bearer', expires_in: 300 }
      if (state.renewal === 'granted')
        return json(res, { ...answer, refresh_token: `next-${state.tokenRequests.length}` })
      res.statusCode = 400
      return json(res, { error: state.renewal === 'refused' ? 'invalid_grant' : 'invalid_client' })
    }
    const code = new URLSearchParams(text).get('code') ?? ''
    const claims = { iss: issuer, aud: clientId, sub: 'subject', ...state.claims, ...state.claimsOf.get(code) }
    const { privateKey, jwk } = state.signing ?? state.published
    const id_token = jwt.sign(claims, privateKey, { algorithm: 'RS256', keyid: jwk.kid, expiresIn: 300 })
    json(res, { access_token: 'a', token_type: 'Bearer', expires_in: 300, id_token, ...state.tokens })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    issuer,
    state,
    stop: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type SigningKey = ReturnType<typeof createKey>

export function createKey(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } }
}

function json(res: ServerResponse, body: unknown) {
  res.setHeader('content-type', 'application/json')
  res.end(JSON.stringify(body))
}
