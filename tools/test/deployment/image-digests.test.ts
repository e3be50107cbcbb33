import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { imagesWithoutDigest, pinImages } from '../../src/deployment/image-digests.ts'
import { composeFileOf } from '../../src/deployment/schemas.ts'
import { projectRoot } from '../../src/provision/paths.ts'
import { temporaryFolder } from '../_processes.ts'
import { readCompose } from './_compose.ts'

const digestOf = (image: string) => `sha256:${Buffer.from(image).toString('hex').padEnd(64, '0').slice(0, 64)}`

test('every image that is pulled can be pinned by digest, and those of Watchline itself are not', async () => {
  const root = temporaryFolder()
  for (const file of [
    'docker-compose.yml',
    'services/Dockerfile',
    'gateway/Dockerfile',
    ...['mongodb', 'rabbitmq', 'redis'].map(name => `k8s/overlays/small/${name}.yaml`),
  ]) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    cpSync(join(projectRoot, file), join(root, file))
  }

  await pinImages(root, async image => digestOf(image))

  expect(imagesWithoutDigest(root)).toEqual([])
  const { services } = readCompose(composeFileOf(root), { OIDC_ISSUER: 'any', OIDC_CLIENT_ID: 'any' })
  for (const { image, build } of Object.values(services)) {
    if (build) expect(image).not.toContain('@')
    else expect(image.split('@')[1]).toBe(digestOf(image.split('@')[0]!))
  }
  const bases = readFileSync(join(root, 'services/Dockerfile'), 'utf8').match(/^FROM node:.*$/gm)
  for (const base of bases!) expect(base).toMatch(/^FROM node:[\w.-]+@sha256:[0-9a-f]{64} AS [\w-]+$/)

  // An image without a digest is found, and a new digest replaces an older one.
  const file = join(root, 'k8s/overlays/small/redis.yaml')
  chmodSync(file, 0o600)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(image: redis:[\w.-]+)@\S+/, '$1'))
  expect(imagesWithoutDigest(root)).toEqual([expect.stringMatching(/^redis:/)])
  await pinImages(root, async () => `sha256:${'b'.repeat(64)}`)
  expect(readFileSync(file, 'utf8')).toMatch(/image: redis:[\w.-]+@sha256:b{64}\n/)
})
