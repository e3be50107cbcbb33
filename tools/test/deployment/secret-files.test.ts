import { createPrivateKey, createPublicKey } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { writeSecretFiles } from '../../src/deployment/secret-files.ts'
import { developmentSecrets } from '../../src/start/secrets.ts'
import { temporaryFolder } from '../_processes.ts'

describe('the secrets of a deployment', () => {
  test('are readable files in a folder that only their owner can enter', () => {
    const folder = join(temporaryFolder(), 'secrets')

    const names = writeSecretFiles(folder)

    expect(readdirSync(folder).sort()).toEqual([...names].sort())
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o444)
  })

  test('match: the keys are a pair, and the stores know the passwords of the services', () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o700)
    writeSecretFiles(folder)
    const secret = (name: string) => readFileSync(join(folder, name), 'utf8')

    const key = createPrivateKey(secret('token_private_key'))
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
    expect(createPublicKey(key).export({ type: 'spki', format: 'pem' })).toBe(secret('token_public_key'))
    expect(secret('rabbitmq_conf')).toContain(`default_pass = ${new URL(secret('amqp_url')).password}\n`)
    expect(secret('redis_conf')).toBe(`requirepass ${new URL(secret('redis_url')).password}\n`)
    const databases = ['auth', 'playback-session', 'engagement', 'notification', 'chat', 'operator'].map(name => {
      const { username, password } = new URL(secret(`mongo_url_${name}`))
      expect(username).toBe(name)
      return password
    })
    expect(new Set(databases).size).toBe(6)
  })

  test('name the stores by their addresses in a cluster', () => {
    const folder = join(temporaryFolder(), 'secrets')
    writeSecretFiles(folder, 'watchline.svc')
    const host = (name: string) => new URL(readFileSync(join(folder, name), 'utf8')).host
    expect(['mongo_url_chat', 'amqp_url', 'redis_url'].map(host)).toEqual([
      'mongodb.watchline.svc:27017',
      'rabbitmq.watchline.svc:5672',
      'redis.watchline.svc:6379',
    ])
  })

  test('never replace others', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'csrf_secret'), 'in use')

    expect(() => writeSecretFiles(folder)).toThrow(`${folder} is not empty`)

    expect(readFileSync(join(folder, 'csrf_secret'), 'utf8')).toBe('in use')
    expect(existsSync(join(folder, 'redis_url'))).toBe(false)
  })
})

test('a development instance does not set a secret that comes from a file', () => {
  const secrets = developmentSecrets(temporaryFolder(), { CSRF_SECRET_FILE: '/run/secrets/csrf_secret' })
  expect(secrets).not.toHaveProperty('CSRF_SECRET')
  expect(secrets).toHaveProperty('REFRESH_SECRET')
})
