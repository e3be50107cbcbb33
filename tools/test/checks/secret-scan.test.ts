import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import jwt from 'jsonwebtoken'
import { projectFiles } from '../../src/checks/layout.ts'
import { secretProblems } from '../../src/checks/secret-scan.ts'
import { projectRoot } from '../../src/provision/paths.ts'

const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const letters = (count: number) => 'Ab1'.repeat(count).slice(0, count)

test.each([
  ['a private key', privateKey],
  ['a private key', privateKey.replaceAll('\n', '\\n')],
  ['an access token', jwt.sign({ sub: 'somebody', sid: 'a session' }, privateKey, { algorithm: 'ES256' })],
  ['an address with a password', `mongodb://chat:${letters(24)}@mongodb:27017/`],
  ['a key of Google', `AIza${letters(35)}`],
  ['a key of AWS', `AKIA${'A1'.repeat(8)}`],
  ['a token of GitHub', `ghp_${letters(36)}`],
  ['a token of npm', `npm_${letters(36)}`],
  ['a token of Slack', `xoxb-${letters(12)}`],
])('finds %s and names its line, without the secret', (kind, secret) => {
  expect(secretProblems('docs/a.md', `one\ntwo = "${secret}"\n`)).toEqual([`docs/a.md:2: looks like ${kind}`])
})

test.each(['.env', 'secrets/mongo_url', 'deploy/tls.key', 'data/secrets.json'])('finds the file %s', file => {
  expect(secretProblems(file, '')).toHaveLength(1)
})

test('the project has none; examples and public keys are no secrets', () => {
  for (const text of ['-----BEGIN PRIVATE KEY-----\\nabc', 'amqp://chat:secret@rabbitmq', 'k = `AIza…`'])
    expect(secretProblems('.env.example', text)).toEqual([])
  const found = projectFiles().flatMap(file => secretProblems(file, readFileSync(join(projectRoot, file), 'latin1')))
  expect(found).toEqual([])
})
