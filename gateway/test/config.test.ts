import { describe, expect, test } from '@jest/globals'
import { ConfigError } from '@watchline/kit/process/config'
import { readGatewayConfig } from '../src/config.ts'

const required = {
  TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----\\nabc\\n-----END PUBLIC KEY-----',
  CSRF_SECRET: 'x'.repeat(32),
  MEDIA_SECRET: 'm'.repeat(32),
}

describe('the settings', () => {
  test('have defaults for all but the secrets', () => {
    const config = readGatewayConfig(required)
    expect(config).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:8080',
      devProvider: true,
      upstreams: { auth: ['http://127.0.0.1:8081'], chat: ['http://127.0.0.1:8085'] },
      rateLimits: { session: 600, address: 2_000, signIn: 500, page: 5_000 },
    })
    expect(config.tokenPublicKey).toContain('\n')
    expect(readGatewayConfig({ ...required, PORT: '9000' }).publicUrl).toBe('http://localhost:9000')
  })

  test('accept several addresses of a service and keep only their origins', () => {
    const { upstreams } = readGatewayConfig({ ...required, CHAT_URL: 'http://a:1/, https://b' })
    expect(upstreams.chat).toEqual(['http://a:1', 'https://b'])
  })

  test('name the hosts of videos, and nothing wider', () => {
    const hostsOf = (MEDIA_HOSTS: string) => readGatewayConfig({ ...required, MEDIA_HOSTS }).mediaHosts
    expect(hostsOf('')).toEqual([])
    expect(hostsOf('https://media.example.org/films')).toEqual(['https://media.example.org'])
    for (const wide of ['https:', '*', 'media.example.org', 'data:', "'unsafe-inline'"])
      expect(() => hostsOf(wide)).toThrow(/^MEDIA_HOSTS/)
  })

  test('have no development provider in production or beside another provider', () => {
    expect(readGatewayConfig({ ...required, NODE_ENV: 'production' }).devProvider).toBe(false)
    expect(readGatewayConfig({ ...required, OIDC_ISSUER: 'https://idp.test' }).devProvider).toBe(false)
    expect(readGatewayConfig({ ...required, OIDC_PROVIDERS: '[{}]' }).devProvider).toBe(false)
  })

  test('refuse an address that others reach while anybody can sign in as anybody', () => {
    for (const HOST of ['0.0.0.0', '::', '192.168.0.7'])
      expect(() => readGatewayConfig({ ...required, HOST })).toThrow(/^HOST: "[\d.:]+" was given, .*OIDC_ISSUER/)
    for (const HOST of ['127.0.0.1', '::1', 'localhost'])
      expect(readGatewayConfig({ ...required, HOST })).toMatchObject({ host: HOST, devProvider: true })
    const HOST = '0.0.0.0'
    for (const safe of [
      { OIDC_ISSUER: 'https://idp.test' },
      { NODE_ENV: 'production' },
      { ALLOW_ANYBODY_TO_SIGN_IN_AS_ANYBODY: 'true' },
    ])
      expect(readGatewayConfig({ ...required, ...safe, HOST }).host).toBe(HOST)
  })

  test('accept several secrets, one a line, in a file or with the line breaks written out', () => {
    const [current, previous] = ['c'.repeat(32), 'p'.repeat(32)]
    for (const CSRF_SECRET of [`${current}\n${previous}\n`, `${current}\\n${previous}`])
      expect(readGatewayConfig({ ...required, CSRF_SECRET }).csrfSecrets).toEqual([current, previous])
    expect(readGatewayConfig(required).csrfSecrets).toEqual([required.CSRF_SECRET])
  })

  test('refuse plain http in production, except for this machine', () => {
    const production = { ...required, NODE_ENV: 'production' }
    expect(() => readGatewayConfig({ ...production, PUBLIC_URL: 'http://training.example' })).toThrow(
      /^PUBLIC_URL: .* accepted in production is an https address$/,
    )
    for (const PUBLIC_URL of ['https://training.example', 'http://localhost:8080'])
      expect(readGatewayConfig({ ...production, PUBLIC_URL }).publicUrl).toBe(PUBLIC_URL)
  })

  test('can turn off rate limits', () => {
    expect(readGatewayConfig({ ...required, RATE_LIMITS: 'false' }).rateLimits).toBe(false)
  })

  test.each([
    ['CSRF_SECRET', 'short'],
    ['CSRF_SECRET', `${'x'.repeat(32)}\nshort`],
    ['MEDIA_SECRET', 'short'],
    ['TOKEN_PUBLIC_KEY', 'none'],
    ['PUBLIC_URL', 'ftp://x'],
    ['CHAT_URL', 'http://a:1,nonsense'],
    ['TRUSTED_PROXIES', '-1'],
    ['UPSTREAM_TIMEOUT_MS', 'soon'],
  ])('report a wrong %s by its name', (name, value) => {
    const read = () => readGatewayConfig({ ...required, [name]: value })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(new RegExp(`^${name}: .* accepted is`))
  })
})
