import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { Manifest } from '../../src/deployment/manifests.ts'
import { composeSchemaProblems, manifestValidator } from '../../src/deployment/schemas.ts'
import { deploymentSecrets } from '../../src/deployment/secret-files.ts'
import { settingsProblems } from '../../src/deployment/settings.ts'
import { cacheFolder } from '../../src/provision/paths.ts'
import { temporaryFolder } from '../_processes.ts'
import { readCompose } from './_compose.ts'
import { imageConfig, lineage, parseDockerfile } from './_dockerfile.ts'
import { ignorePatterns, isInContext } from './_dockerfile-runner.ts'
import { createNetwork } from './_network-policies.ts'

// Proves that the checks of deployment files find faults.
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

  test('is parsed with continuations, comments and flags', () => {
    const [base, top] = file.stages
    expect(base!.instructions.at(-1)).toEqual({
      keyword: 'RUN',
      flags: { mount: 'type=cache,target=/root/.npm' },
      text: 'npm ci --omit=dev',
      line: 6,
    })
    expect(top!.instructions[2]).toMatchObject({ keyword: 'COPY', flags: { from: 'base' }, text: '/app/ ./' })
  })

  test('merges the configuration of all stages, and the last one wins', () => {
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
    'with an unknown instruction is refused: %s',
    line => {
      expect(() => parseDockerfile(`FROM a AS b\n${line}`)).toThrow('line 2')
    },
  )
})

test('.dockerignore: the last pattern that matches decides', () => {
  const patterns = ignorePatterns('*\n!web\n**/node_modules\n# nothing\nweb/*.log\n')
  const included = ['web', 'web/src/a.ts', 'web/node_modules/a.js', 'web/a.log', 'data/x', 'web/src/b.log'].filter(
    path => isInContext(path, patterns),
  )
  expect(included).toEqual(['web', 'web/src/a.ts', 'web/src/b.log'])
})

test('Compose: defaults are filled in, and a missing required variable is an error', async () => {
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
  ])('of %s with a fault is found', async (type, fields, expected) => {
    const validate = await manifestValidator(tools)
    const [apiVersion, kind] = type.split(' ') as [string, string]
    const problems = validate({ apiVersion, kind, metadata: { name: 'any' }, ...fields } as Manifest)
    expect(problems.join('\n')).toContain(expected)
  })
})

test('settings: finds a missing, an invalid and an unknown one', async () => {
  const secrets = await deploymentSecrets()
  const validSettings = {
    MONGO_URL: secrets.mongo_url_chat!,
    TOKEN_PUBLIC_KEY: secrets.token_public_key!,
    INTERNAL_PRIVATE_KEY: secrets.internal_private_key_chat!,
    INTERNAL_PUBLIC_KEYS: secrets.internal_public_keys!,
  }
  expect(settingsProblems('chat', validSettings)).toEqual([])
  expect(settingsProblems('chat', { ...validSettings, CSRF_SECRET: secrets.csrf_secret! })).toEqual([
    'CSRF_SECRET: chat knows no such setting',
  ])
  expect(settingsProblems('chat', { ...validSettings, PORT: 'http' })).toEqual([expect.stringMatching(/^PORT: /)])
  expect(settingsProblems('chat', { ...validSettings, MONGO_URL: '' })).toEqual([
    expect.stringMatching(/^MONGO_URL: nothing/),
  ])
})

describe('network policies', () => {
  const policy = (name: string, spec: object) =>
    ({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name }, spec }) as Manifest
  const a = { labels: { name: 'a' } }
  const b = { labels: { name: 'b' } }
  const http = { name: 'http', number: 8080 }

  test('without a policy everything is allowed; one that denies refuses everything', () => {
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
    const allows = createNetwork([deny, out, into])
    expect(allows(a, b, http)).toBe(true)
    expect(allows(b, a, http)).toBe(false)
    expect(allows(a, b, { number: 22 })).toBe(false)
    // The same labels in another namespace belong to another pod.
    expect(allows({ ...a, namespace: 'other' }, b, http)).toBe(false)
  })
})
