import { createPrivateKey, createPublicKey } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type ServiceName, serviceNames } from '@watchline/contracts/operation'
import { createInternalCredentials } from '@watchline/kit/http/internal-credentials'
import { writeSecretFiles } from '../../src/deployment/secret-files.ts'
import { developmentSecrets } from '../../src/start/secrets.ts'
import { temporaryFolder } from '../_processes.ts'

describe('the secrets of a deployment', () => {
  test('are readable files in a folder that only their owner can enter', async () => {
    const folder = join(temporaryFolder(), 'secrets')

    const names = await writeSecretFiles(folder)

    const { files, folders } = entriesOf(folder)
    expect(files).toEqual([...names].sort())
    for (const path of [folder, ...folders]) expect(statSync(path).mode & 0o777).toBe(0o700)
    for (const name of files)
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, name.includes('/') ? 0o400 : 0o444])
  })

  test('match: the keys are a pair, and the stores know the passwords of the services', async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o700)
    await writeSecretFiles(folder)
    const secret = (name: string) => readFileSync(join(folder, name), 'utf8')

    const key = createPrivateKey(secret('token_private_key'))
    expect(key.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
    expect(secret('admin_setup_token')).toMatch(/^[\da-f]{32}$/)
    expect(createPublicKey(key).export({ type: 'spki', format: 'pem' })).toBe(secret('token_public_key'))
    const names = ['auth', 'playback-session', 'engagement', 'notification', 'chat', 'operator']
    const passwords = [
      ...names.map(name => [`mongo_url_${name}`, name]),
      ...[...names, 'gateway', 'monitoring', 'administrator'].map(name => [`amqp_url_${name}`, name]),
      ...[...names, 'gateway'].map(name => [`redis_url_${name}`, name]),
    ].map(([file, name]) => {
      const { username, password } = new URL(secret(file!))
      expect(username).toBe(name)
      return password
    })
    expect(new Set(passwords).size).toBe(6 + 9 + 7)
  })

  test('let each service prove with its own key which one it is', async () => {
    const folder = join(temporaryFolder(), 'secrets')
    await writeSecretFiles(folder)
    const secret = (name: string) => readFileSync(join(folder, name), 'utf8')
    const credentialsOf = (service: ServiceName) =>
      createInternalCredentials(service, {
        internalPrivateKey: secret(`internal_private_key_${service}`),
        internalPublicKeys: secret('internal_public_keys'),
      })
    for (const service of serviceNames) {
      const headers = credentialsOf(service).headersFor('auth')
      expect(credentialsOf('auth').identify(name => headers[name])).toBe(service)
    }
    expect(new Set(serviceNames.map(service => secret(`internal_private_key_${service}`))).size).toBe(5)
  })

  test('name the stores by their addresses in a cluster', async () => {
    const folder = join(temporaryFolder(), 'secrets')
    await writeSecretFiles(folder, 'watchline.svc')
    const host = (name: string) => new URL(readFileSync(join(folder, name), 'utf8')).host
    expect(['mongo_url_chat', 'amqp_url_chat', 'redis_url_gateway'].map(host)).toEqual([
      'mongodb.watchline.svc:27017',
      'rabbitmq.watchline.svc:5671',
      'redis.watchline.svc:6379',
    ])
  })

  test('never replace others, and are added to those of an older version', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'csrf_secret'), 'in use')

    await expect(writeSecretFiles(folder)).rejects.toThrow(`${folder} is not empty`)
    expect(existsSync(join(folder, 'redis_url_chat'))).toBe(false)

    writeFileSync(join(folder, 'token_private_key'), 'in use')
    const names = await writeSecretFiles(folder)
    expect(names).toContain('redis_url_chat')
    expect(names).not.toContain('csrf_secret')
    for (const name of ['csrf_secret', 'token_private_key'])
      expect(readFileSync(join(folder, name), 'utf8')).toBe('in use')
    expect(await writeSecretFiles(folder)).toEqual([])
  })

  test('are refused if only some of the internal keys are missing', async () => {
    const folder = join(temporaryFolder(), 'secrets')
    const internal = (await writeSecretFiles(folder)).filter(name => name.startsWith('internal_'))
    rmSync(join(folder, 'internal_private_key_chat'))
    await expect(writeSecretFiles(folder)).rejects.toThrow(
      'internal_private_key_chat: missing beside other internal keys',
    )
    for (const name of internal) rmSync(join(folder, name), { force: true })
    expect((await writeSecretFiles(folder)).sort()).toEqual([...internal].sort())
  })
})

test('a development instance does not set a secret that comes from a file', () => {
  const secrets = developmentSecrets(temporaryFolder(), { CSRF_SECRET_FILE: '/run/secrets/csrf_secret' })
  expect(secrets).not.toHaveProperty('CSRF_SECRET')
  expect(secrets).toHaveProperty('REFRESH_SECRET')
})

function entriesOf(folder: string) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  const pathOf = (entry: (typeof entries)[number]) => join(entry.parentPath, entry.name)
  return {
    files: entries
      .filter(entry => entry.isFile())
      .map(entry => relative(folder, pathOf(entry)))
      .sort(),
    folders: entries.filter(entry => entry.isDirectory()).map(pathOf),
  }
}
