import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readCompose } from '../../src/deployment/compose.ts'
import { imageConfig, lineage, parseDockerfile } from '../../src/deployment/dockerfile.ts'
import { ignorePatterns, isInContext } from '../../src/deployment/dockerfile-runner.ts'
import type { Manifest } from '../../src/deployment/manifests.ts'
import { createNetwork } from '../../src/deployment/network-policies.ts'
import { composeSchemaProblems, manifestValidator } from '../../src/deployment/schemas.ts'
import { deploymentSecrets } from '../../src/deployment/secret-files.ts'
import { settingsProblems } from '../../src/deployment/settings.ts'
import { cacheFolder } from '../../src/provision/paths.ts'
import { temporaryFolder } from '../_processes.ts'

// The checks of deployment find what they are there to find.
const tools = { cacheDir: cacheFolder(), log: (line: string) => console.error(line) }

describe('a Dockerfile', () => {
  const file = parseDockerfile(
    [
      '# a comment',
      'FROM node:24.21.0-bookworm-slim AS base',
      'WORKDIR /app',
      'ENV A=1 B="two words"',
      'HEALTHCHECK --interval=10s --timeout=5s CMD ["node", "-e", "1"]',
      'RUN --mount=type=cache,target=/root/.npm \\',
      '    # in between',
      '    npm ci \\',
      '    --omit=dev',
      'FROM base AS top',
      'ENV A=3',
      'USER 1000:1000',
      'COPY --from=base /app/ ./',
      'CMD ["node", "main.ts"]',
    ].join('\n'),
  )

  test('is read with its continuations, comments and flags', () => {
    const [base, top] = file.stages
    expect(base!.instructions.at(-1)).toEqual({
      keyword: 'RUN',
      flags: { mount: 'type=cache,target=/root/.npm' },
      text: 'npm ci --omit=dev',
      line: 6,
    })
    expect(top!.instructions[2]).toMatchObject({ keyword: 'COPY', flags: { from: 'base' }, text: '/app/ ./' })
  })

  test('gives an image what all its stages say, the last one winning', () => {
    expect(lineage(file, 'top').map(({ name }) => name)).toEqual(['base', 'top'])
    expect(imageConfig(file, 'top')).toEqual({
      env: { A: '3', B: 'two words' },
      workdir: '/app',
      user: '1000:1000',
      command: ['node', 'main.ts'],
      healthcheck: ['node', '-e', '1'],
    })
  })

  test.each(['ADD https://example.org/a /a', 'VOLUME /data', 'FROM node:24', 'nonsense'])(
    'with something that is not known here is refused: %s',
    line => {
      expect(() => parseDockerfile(`FROM a AS b\n${line}`)).toThrow('line 2')
    },
  )
})

test('.dockerignore: the last pattern that matches decides', () => {
  const patterns = ignorePatterns('*\n!web\n**/node_modules\n# nothing\nweb/*.log\n')
  const through = ['web', 'web/src/a.ts', 'web/node_modules/a.js', 'web/a.log', 'data/x', 'web/src/b.log'].filter(
    path => isInContext(path, patterns),
  )
  expect(through).toEqual(['web', 'web/src/a.ts', 'web/src/b.log'])
})

test('Compose: what is left out is filled in, what is needed is asked for', async () => {
  const path = join(temporaryFolder(), 'compose.yml')
  writeFileSync(
    path,
    `x-a: &a { restart: always }
services:
  s:
    <<: *a
    image: "i:\${VERSION:-1}"
    command: ["$$HOME", "$BARE"]
    secret: no
`,
  )
  expect(readCompose(path, { BARE: 'bare' }).services.s).toMatchObject({
    restart: 'always',
    image: 'i:1',
    command: ['$HOME', 'bare'],
  })
  expect(await composeSchemaProblems(path, tools)).toEqual([expect.stringMatching(/^\/services\/s .*\(secret\)$/)])
  writeFileSync(path, `services: { s: { image: "\${IMAGE:?is needed}" } }`)
  expect(() => readCompose(path, {})).toThrow('IMAGE is needed')
})

describe('a manifest', () => {
  test.each<[string, object, string]>([
    ['apps/v1 Deployment', { spec: { replica: 1, selector: {}, template: {} } }, '(replica)'],
    ['policy/v1 PodDisruptionBudget', { spec: { maxUnavailable: [1] } }, '/spec/maxUnavailable'],
    [
      'keda.sh/v1alpha1 ScaledObject',
      { spec: { scaleTargetRef: { name: 'a' }, triggers: [], minReplicas: 1 } },
      '(minReplicas)',
    ],
    ['example.org/v1 Unknown', {}, 'there is no schema of example.org/v1 Unknown'],
  ])('of %s with a fault is found', async (type, fields, words) => {
    const validate = await manifestValidator(tools)
    const [apiVersion, kind] = type.split(' ') as [string, string]
    const problems = validate({ apiVersion, kind, metadata: { name: 'any' }, ...fields } as Manifest)
    expect(problems.join('\n')).toContain(words)
  })
})

test('settings: one that is missing, wrong or of another process is found', () => {
  const secrets = deploymentSecrets()
  const good = {
    MONGO_URL: secrets.mongo_url_chat!,
    TOKEN_PUBLIC_KEY: secrets.token_public_key!,
    INTERNAL_SECRET: secrets.internal_secret!,
  }
  expect(settingsProblems('chat', good)).toEqual([])
  expect(settingsProblems('chat', { ...good, CSRF_SECRET: secrets.csrf_secret! })).toEqual([
    'CSRF_SECRET: chat knows no such setting',
  ])
  expect(settingsProblems('chat', { ...good, PORT: 'http' })).toEqual([expect.stringMatching(/^PORT: /)])
  expect(settingsProblems('chat', { ...good, MONGO_URL: '' })).toEqual([expect.stringMatching(/^MONGO_URL: nothing/)])
})

describe('network policies', () => {
  const policy = (name: string, spec: object) =>
    ({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name }, spec }) as Manifest
  const a = { labels: { name: 'a' } }
  const b = { labels: { name: 'b' } }
  const http = { name: 'http', number: 8080 }

  test('without any, everybody may; with one that denies, nobody', () => {
    expect(createNetwork([])(a, b, http)).toBe(true)
    const deny = policy('deny', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
    expect(createNetwork([deny])(a, b, http)).toBe(false)
    expect(createNetwork([deny])('outside', b, http)).toBe(false)
  })

  test('both ends must allow it, by port', () => {
    const deny = policy('deny', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
    const out = policy('out', {
      podSelector: { matchLabels: { name: 'a' } },
      policyTypes: ['Egress'],
      egress: [{ to: [{ podSelector: { matchLabels: { name: 'b' } } }], ports: [{ port: 'http' }] }],
    })
    const into = policy('into', {
      podSelector: { matchLabels: { name: 'b' } },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: { matchLabels: { name: 'a' } } }], ports: [{ port: 8080 }] }],
    })
    expect(createNetwork([deny, out])(a, b, http)).toBe(false)
    expect(createNetwork([deny, into])(a, b, http)).toBe(false)
    const may = createNetwork([deny, out, into])
    expect(may(a, b, http)).toBe(true)
    expect(may(b, a, http)).toBe(false)
    expect(may(a, b, { number: 22 })).toBe(false)
    // the same labels in another namespace are somebody else's
    expect(may({ ...a, namespace: 'other' }, b, http)).toBe(false)
  })
})
