import { type Keycloak, password } from './server.ts'

export const realm = 'watchline'
export const supervisorsGroup = 'watchline-supervisors'
const clientId = 'watchline'
const clientSecret = 'the secret of a trial'

export const people = [
  { username: 'lead', email: 'lead@example.org', emailVerified: true, groups: [supervisorsGroup] },
  { username: 'trainee', email: 'trainee@example.org', emailVerified: true, groups: [] as string[] },
  { username: 'newcomer', email: 'newcomer@example.org', emailVerified: false, groups: [] as string[] },
  { username: 'leaver', email: 'leaver@example.org', emailVerified: true, groups: [] as string[] },
] as const

export interface RealmClient {
  issuer: string
  clientId: string
  clientSecret: string
}

/** The settings that connect Watchline with this Keycloak. */
export function settingsOf(client: RealmClient): Record<string, string> {
  return {
    OIDC_ISSUER: client.issuer,
    OIDC_CLIENT_ID: client.clientId,
    OIDC_CLIENT_SECRET: client.clientSecret,
    OIDC_NAME: 'Keycloak',
    OIDC_DAILY_CHECK: 'offline_access',
  }
}

/** Creates realm, client with a claim of groups, the group and the people, as an operator would. */
export async function setUpRealm(keycloak: Keycloak, watchlineUrl: string): Promise<RealmClient> {
  const callback = `${watchlineUrl}/api/auth/callback`
  const send = await createAdminClient(keycloak)
  await send('POST', '', { realm, enabled: true })
  await send('POST', `/${realm}/clients`, {
    clientId,
    secret: clientSecret,
    redirectUris: [callback],
    standardFlowEnabled: true,
    directAccessGrantsEnabled: false,
    attributes: {
      'pkce.code.challenge.method': 'S256',
      'post.logout.redirect.uris': callback,
      'backchannel.logout.url': `${watchlineUrl}/api/auth/backchannel-logout`,
      'backchannel.logout.session.required': 'true',
    },
    protocolMappers: [
      {
        name: 'groups',
        protocol: 'openid-connect',
        protocolMapper: 'oidc-group-membership-mapper',
        config: {
          'claim.name': 'groups',
          'full.path': 'false',
          'id.token.claim': 'true',
          'userinfo.token.claim': 'true',
        },
      },
    ],
  })
  await send('POST', `/${realm}/groups`, { name: supervisorsGroup })
  for (const { groups, ...person } of people)
    await send('POST', `/${realm}/users`, {
      ...person,
      firstName: person.username,
      lastName: 'Person',
      enabled: true,
      groups,
      credentials: [{ type: 'password', value: password, temporary: false }],
    })
  return { issuer: `${keycloak.url}/realms/${realm}`, clientId, clientSecret }
}

/** The ids of a person's sessions at Keycloak. */
export async function listSessions(keycloak: Keycloak, username: string): Promise<string[]> {
  const send = await createAdminClient(keycloak)
  const sessions: { id: string }[] = await send('GET', `/${realm}/users/${await findUserId(send, username)}/sessions`)
  return sessions.map(({ id }) => id)
}

/** Ends one session, as an administrator does on Keycloak's page "Sessions". */
export async function endSession(keycloak: Keycloak, id: string): Promise<void> {
  const send = await createAdminClient(keycloak)
  await send('DELETE', `/${realm}/sessions/${id}`)
}

/** Ends all sessions of a person ("Sign out" or "Logout all sessions"). */
export async function endAllSessions(keycloak: Keycloak, username: string): Promise<void> {
  const send = await createAdminClient(keycloak)
  await send('POST', `/${realm}/users/${await findUserId(send, username)}/logout`)
}

export async function disableUser(keycloak: Keycloak, username: string): Promise<void> {
  const send = await createAdminClient(keycloak)
  const address = `/${realm}/users/${await findUserId(send, username)}`
  await send('PUT', address, { ...(await send('GET', address)), enabled: false })
}

async function findUserId(send: AdminCall, username: string): Promise<string> {
  const [user] = await send('GET', `/${realm}/users?exact=true&username=${username}`)
  return user.id
}

/** Gives the realm a new signing key, and takes the previous ones away. */
export async function rotateSigningKey(keycloak: Keycloak): Promise<void> {
  const send = await createAdminClient(keycloak)
  const components: { id: string; providerId: string; name: string; config: object }[] = await send(
    'GET',
    `/${realm}/components?type=org.keycloak.keys.KeyProvider`,
  )
  await send('POST', `/${realm}/components`, {
    name: 'next-key',
    providerId: 'rsa-generated',
    providerType: 'org.keycloak.keys.KeyProvider',
    config: { priority: ['200'], enabled: ['true'], active: ['true'], keySize: ['2048'], algorithm: ['RS256'] },
  })
  for (const { id } of components.filter(({ providerId }) => providerId === 'rsa-generated'))
    await send('DELETE', `/${realm}/components/${id}`)
}

type AdminCall = Awaited<ReturnType<typeof createAdminClient>>

/** Calls Keycloak's admin REST API below /admin/realms. Fails unless it answers with success. */
async function createAdminClient(keycloak: Keycloak) {
  const credentials = { grant_type: 'password', client_id: 'admin-cli', username: 'admin', password }
  const answer = await fetch(`${keycloak.url}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams(credentials),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`${keycloak.url}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`Keycloak: ${method} ${path} answered ${response.status} ${text}`)
    return text ? JSON.parse(text) : undefined
  }
}
