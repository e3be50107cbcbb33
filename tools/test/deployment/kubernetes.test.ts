import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { topologyOf } from '@watchline/kit/messaging/rabbitmq/topology'
import { baseVariables, isPlainConnection, readConfig } from '@watchline/kit/process/config'
import { namesOf } from '../../src/deployment/certificates.ts'
import {
  buildManifests,
  type Kustomization,
  kustomizations,
  type Manifest,
  operatorKustomization,
} from '../../src/deployment/manifests.ts'
import { composeFileOf, manifestValidator } from '../../src/deployment/schemas.ts'
import { deploymentSecrets, writeSecretFiles } from '../../src/deployment/secret-files.ts'
import { type ProcessName, processes, settingsProblems } from '../../src/deployment/settings.ts'
import { writeStoreUsers } from '../../src/operator/store-users/main.ts'
import { brokerUsers, redisUsers } from '../../src/operator/store-users/names.ts'
import { cacheFolder, projectRoot } from '../../src/provision/paths.ts'
import { temporaryFolder } from '../_processes.ts'
import { expectTlsOnly } from './_broker-tls.ts'
import { readCompose } from './_compose.ts'
import { imageConfig, parseDockerfile } from './_dockerfile.ts'
import { environmentOf, findManifest, podOf } from './_manifests.ts'
import { createNetwork, type Party, type Port, selects } from './_network-policies.ts'

const tools = { cacheDir: cacheFolder(), log: (line: string) => console.error(line) }
const http: Port = { name: 'http', number: 8080 }
const stores = ['mongodb', 'rabbitmq', 'redis'] as const
const secrets = await deploymentSecrets('watchline.svc')

const privateAddresses = [
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1', '127.0.0.1'],
  ...['fd00::1', 'fe80::1', '::1'],
  // Translated to, or a tunnel to, 10.0.0.1.
  ...['64:ff9b::a00:1', '2002:a00:1::1'],
]

const built = {} as Record<Kustomization, Manifest[]>
beforeAll(async () => {
  for (const folder of kustomizations) built[folder] = await buildManifests(projectRoot, folder, tools)
})

const ofKind = (folder: Kustomization, ...kinds: string[]) => built[folder].filter(({ kind }) => kinds.includes(kind))
const findOnly = (folder: Kustomization, kind: string, name: string) => findManifest(built[folder], kind, name)
const environment = (folder: Kustomization, name: ProcessName) => environmentOf(built[folder], name)
const workloads = (folder: Kustomization) => ofKind(folder, 'Deployment', 'StatefulSet', 'Job')
const containersOf = (workload: Manifest) => [...podOf(workload).containers, ...(podOf(workload).initContainers ?? [])]

describe.each(kustomizations)('%s', folder => {
  test('matches the schemas of Kubernetes and KEDA', async () => {
    const validate = await manifestValidator(tools)
    const problems = built[folder].flatMap(manifest =>
      validate(manifest).map(problem => `${manifest.kind} ${manifest.metadata.name}: ${problem}`),
    )
    expect(problems).toEqual([])
    expect(
      ofKind(folder, 'Deployment')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual([...processes].sort())
  })

  test('images are exact versions', () => {
    for (const workload of workloads(folder))
      for (const { image } of containersOf(workload))
        expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+\.\d+(-\w+)?(@sha256:[0-9a-f]{64})?$/)
  })

  test('pods have the least privileges', () => {
    for (const workload of workloads(folder)) {
      const pod = podOf(workload)
      expect(pod).toMatchObject({
        serviceAccountName: 'watchline',
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(pod.securityContext.runAsUser).toBeGreaterThan(0)
      for (const key of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod).not.toHaveProperty(key)
      for (const container of containersOf(workload)) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(container.volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' })
        const { requests, limits } = container.resources
        for (const resource of ['cpu', 'memory']) {
          expect(requests[resource]).toBeDefined()
          expect(limits[resource]).toBeDefined()
        }
      }
      expect(pod.volumes.find(({ name }: { name: string }) => name === 'tmp').emptyDir.sizeLimit).toBeDefined()
    }
  })

  test.each(processes)('%s has probes and time to stop gracefully', name => {
    const deployment = findOnly(folder, 'Deployment', name)
    const pod = podOf(deployment)
    const [container] = pod.containers
    expect(container.ports).toEqual([
      { name: 'http', containerPort: 8080 },
      { name: 'metrics', containerPort: 9464 },
    ])
    expect(environment(folder, name).METRICS_PORT).toBe('9464')
    expect(deployment.spec.template.metadata.annotations['prometheus.io/port']).toBe('9464')
    const scheme = name === 'gateway' ? {} : { scheme: 'HTTPS' }
    expect(container.startupProbe.httpGet).toEqual({ path: '/healthz', port: 'http', ...scheme })
    expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http', ...scheme })
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http', ...scheme })
    expect(deployment.spec.template.metadata.annotations['prometheus.io/scheme']).toBe(scheme.scheme?.toLowerCase())
    const drainS = Number(environment(folder, name).DRAIN_MS) / 1_000
    const preStopS = container.lifecycle.preStop.sleep.seconds
    expect(preStopS).toBeGreaterThan(0)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(preStopS + drainS + 10)
    expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0)
    // The autoscaler sets the number.
    expect(deployment.spec).not.toHaveProperty('replicas')
  })

  test.each(processes)('%s accepts its settings and knows all of them', name => {
    const env = { ...imageOf(name), ...environment(folder, name) }
    const mounted = mountedSecrets(folder, name)
    for (const [key, value] of Object.entries(env)) {
      if (!key.endsWith('_FILE')) continue
      expect([key, existsSync(value.replace('/run/secrets/watchline', mounted))]).toEqual([key, true])
      env[key] = value.replace('/run/secrets/watchline', mounted)
    }
    expect(settingsProblems(name, env)).toEqual([])
    expect(new URL(env.AUTH_URL!).host).toBe('auth:8080')
  })

  test.each(processes)('%s has users of its own at broker and live store', name => {
    const { volumes } = podOf(findOnly(folder, 'Deployment', name))
    const { items } = volumes.find((volume: { name: string }) => volume.name === 'secrets').secret
    const urls = items.map(({ key }: { key: string }) => key).filter((key: string) => /^(amqp|redis)_url/.test(key))
    expect(urls.sort()).toEqual([`amqp_url_${name}`, `redis_url_${name}`])
    for (const key of urls) expect(new URL(secrets[key]!).username).toBe(name)
    expect(environment(folder, name).AMQP_SERVICE_USERS).toBe('true')
  })

  test('secrets are files in their pods only, never in a ConfigMap, an environment or these manifests', () => {
    expect(ofKind(folder, 'Secret')).toEqual([])
    for (const workload of workloads(folder)) {
      for (const container of containersOf(workload)) {
        for (const { secretRef } of container.envFrom ?? []) expect(secretRef).toBeUndefined()
        for (const { name, value, valueFrom } of container.env ?? []) {
          expect(valueFrom?.secretKeyRef).toBeUndefined()
          if (/SECRET|PASSWORD|TOKEN|_KEY|MONGO_URL|AMQP_URL|REDIS_URL/.test(name) && value)
            expect(name).toMatch(/_FILE$/)
        }
      }
      for (const { secret } of podOf(workload).volumes) {
        if (!secret) continue
        expect(secret).toMatchObject({ secretName: 'watchline', defaultMode: 0o440 })
        for (const { key } of secret.items) expect(secrets).toHaveProperty(key)
      }
    }
    for (const { data } of ofKind(folder, 'ConfigMap'))
      for (const [name, value] of Object.entries<string>(data))
        if (/SECRET|PASSWORD|TOKEN|_KEY/.test(name)) expect(value).toMatch(/^\/run\/secrets\/watchline\//)
  })

  test.each(processes)('%s: Service, disruption budget and spread select its own pods', name => {
    const labels = findOnly(folder, 'Deployment', name).spec.template.metadata.labels
    const others = ofKind(folder, 'Deployment').filter(({ metadata }) => metadata.name !== name)
    const { selector, ports } = findOnly(folder, 'Service', name).spec
    const budget = findOnly(folder, 'PodDisruptionBudget', name).spec
    expect(ports).toEqual([{ name: 'http', port: 8080, targetPort: 'http' }])
    expect(budget.maxUnavailable).toBe(1)
    for (const podSelector of [{ matchLabels: selector }, budget.selector]) {
      expect(selects(podSelector, labels)).toBe(true)
      for (const otherDeployment of others)
        expect(selects(podSelector, otherDeployment.spec.template.metadata.labels)).toBe(false)
    }
    const spread = podOf(findOnly(folder, 'Deployment', name)).topologySpreadConstraints
    expect(spread.map(({ topologyKey }: { topologyKey: string }) => topologyKey)).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ])
    for (const { labelSelector, matchLabelKeys } of spread) {
      expect(selects(labelSelector, labels)).toBe(true)
      expect(matchLabelKeys).toContain('app.kubernetes.io/name')
    }
  })

  test('engagement and chat scale by queue and CPU, the others by CPU', () => {
    const scaledByKeda = ofKind(folder, 'ScaledObject').map(({ spec }) => spec.scaleTargetRef.name)
    const scaledByCpu = ofKind(folder, 'HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name)
    expect(scaledByKeda.sort()).toEqual(['chat', 'engagement'])
    expect(scaledByCpu.sort()).toEqual(['auth', 'gateway', 'notification', 'playback-session'])
    for (const { spec } of ofKind(folder, 'HorizontalPodAutoscaler')) {
      expect(spec.maxReplicas).toBeGreaterThan(spec.minReplicas)
      expect(spec.metrics[0].resource).toMatchObject({ name: 'cpu', target: { type: 'Utilization' } })
    }
    for (const { spec } of ofKind(folder, 'ScaledObject')) {
      // The trigger counts ready messages only, so at least one consumer must stay.
      expect(spec.minReplicaCount).toBeGreaterThanOrEqual(1)
      const [cpu, queue] = spec.triggers
      expect(cpu).toMatchObject({
        type: 'cpu',
        metricType: 'Utilization',
        metadata: { value: expect.stringMatching(/^\d+$/) },
      })
      expect(queue).toMatchObject({
        type: 'rabbitmq',
        metadata: {
          protocol: 'amqp',
          mode: 'QueueLength',
          queueName: topologyOf('watchline').queue(spec.scaleTargetRef.name),
          value: expect.stringMatching(/^\d+$/),
        },
      })
      const { secretTargetRef, configMapTargetRef } = findOnly(
        folder,
        'TriggerAuthentication',
        queue.authenticationRef.name,
      ).spec
      expect(secretTargetRef).toEqual([
        { parameter: 'host', name: 'watchline', key: 'amqp_url_monitoring' },
        { parameter: 'ca', name: 'watchline', key: 'tls_ca' },
      ])
      const [{ parameter, name, key }] = configMapTargetRef
      expect([parameter, findOnly(folder, 'ConfigMap', name).data[key]]).toEqual(['tls', 'enable'])
    }
  })

  test('the Ingress leads only to the gateway, with TLS, and does not buffer live streams', () => {
    const [ingress, ...others] = ofKind(folder, 'Ingress')
    expect(others).toEqual([])
    const { tls, rules } = ingress!.spec
    const host = new URL(environment(folder, 'auth').PUBLIC_URL!).host
    expect(rules).toEqual([
      {
        host,
        http: {
          paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'gateway', port: { name: 'http' } } } }],
        },
      },
    ])
    expect(tls).toEqual([{ hosts: [host], secretName: 'watchline-tls' }])
    expect(ingress!.metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
    })
    expect(environment(folder, 'gateway')).toMatchObject({ TRUSTED_PROXIES: '1', PUBLIC_URL: `https://${host}` })
  })

  test('each process reaches only the peers that it needs', () => {
    const allows = createNetwork(built[folder])
    const party = (name: string): Party => ({ labels: podLabels(folder, name) })
    const reachable = (from: Party) => processes.filter(name => allows(from, party(name), http))
    const services = processes.filter(name => name !== 'gateway')
    expect(reachable({ labels: {}, namespace: 'traefik' })).toEqual(['gateway'])
    expect(reachable({ labels: {}, namespace: 'somebody-else' })).toEqual([])
    // Prometheus reaches the metrics and nothing else; nobody else reaches the metrics.
    expect(reachable({ labels: {}, namespace: 'monitoring' })).toEqual([])
    const metrics: Port = { name: 'metrics', number: 9464 }
    for (const name of processes) {
      expect(allows({ labels: {}, namespace: 'monitoring' }, party(name), metrics)).toBe(true)
      expect(allows({ labels: {}, namespace: 'traefik' }, party(name), metrics)).toBe(false)
      expect(allows(party('gateway'), party(name), metrics)).toBe(false)
    }
    expect(reachable({ labels: { app: 'a stranger in the namespace' } })).toEqual([])
    expect(reachable(party('gateway'))).toEqual(services)
    for (const name of services) {
      const addresses = new Set(Object.values(environment(folder, name)))
      expect([name, reachable(party(name))]).toEqual([
        name,
        // The replicas of auth may call each other.
        services.filter(peer => (name === 'auth' && peer === 'auth') || addresses.has(`https://${peer}:8080`)),
      ])
      const callsOut = name === 'auth' || name === 'playback-session'
      expect(allows(party(name), 'outside', { number: 443 })).toBe(callsOut)
      expect(allows(party(name), { address: '2001:db8::1' }, { number: 443 })).toBe(callsOut)
      expect(allows(party(name), 'outside', { number: 80 })).toBe(false)
      for (const number of [465, 587, 993])
        expect([name, allows(party(name), 'outside', { number })]).toEqual([name, name === 'notification'])
      // Neither the cluster's own server, nor the cloud's metadata, nor the organisation's network.
      for (const address of privateAddresses)
        for (const number of [443, 465])
          expect([name, address, allows(party(name), { address }, { number })]).toEqual([name, address, false])
    }
    expect(allows(party('gateway'), 'outside', { number: 443 })).toBe(false)
    const names: Party = { labels: { 'k8s-app': 'kube-dns' }, namespace: 'kube-system' }
    for (const name of processes) expect(allows(party(name), names, { number: 53 })).toBe(true)
  })
})

describe('k8s/overlays/small', () => {
  const folder = 'k8s/overlays/small'
  const ports = { mongodb: 27017, rabbitmq: 5671, redis: 6379 }

  test('has the stores with the names and ports of the secrets', () => {
    for (const name of stores) {
      const { volumeClaimTemplates, serviceName, replicas, template } = findOnly(folder, 'StatefulSet', name).spec
      const service = findOnly(folder, 'Service', name).spec
      expect([serviceName, replicas, service.clusterIP]).toEqual([name, 1, 'None'])
      expect(service.ports[0].port).toBe(ports[name])
      expect(selects({ matchLabels: service.selector }, template.metadata.labels)).toBe(true)
      const [claim] = volumeClaimTemplates
      expect(template.spec.containers[0].volumeMounts.map((mount: { name: string }) => mount.name)).toContain(
        claim.metadata.name,
      )
      expect(template.spec.securityContext.fsGroupChangePolicy).toBe('OnRootMismatch')
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect(template.spec.containers[0]).toHaveProperty(probe)
    }
    const addresses = ['mongo_url_auth', 'amqp_url_auth', 'redis_url_auth'].map(name => new URL(secrets[name]!).host)
    expect(addresses).toEqual(stores.map(name => `${name}.watchline.svc:${ports[name]}`))
    const initiate = podOf(findOnly(folder, 'Job', 'mongodb-init')).containers[0]
    expect(initiate.env).toContainEqual({ name: 'MONGO_HOST', value: addresses[0] })
  })

  test('RabbitMQ and Redis load the users that an init container writes from all addresses', () => {
    for (const [name, prefix, users] of [
      ['rabbitmq', 'amqp_url', brokerUsers],
      ['redis', 'redis_url', redisUsers],
    ] as const) {
      const pod = podOf(findOnly(folder, 'StatefulSet', name))
      const [container] = pod.initContainers
      const { items } = pod.volumes.find((volume: { name: string }) => volume.name === 'secrets').secret
      expect(items.map(({ key }: { key: string }) => key).sort()).toEqual(users.map(user => `${prefix}_${user}`).sort())
      expect(container.args.slice(1)).toEqual(['tools/src/operator/store-users/main.ts', '/store-users', name])
      const env = Object.fromEntries(
        container.env.map((variable: { name: string; value: string }) => [
          variable.name.replace(/_FILE$/, ''),
          secrets[variable.value.replace('/run/secrets/watchline/', '')],
        ]),
      )
      const written = temporaryFolder()
      writeStoreUsers(env, written, [name])
      const [file] = readdirSync(written)
      const config = pod.volumes.find((volume: { configMap?: object }) => volume.configMap)?.configMap.name
      const mentioned = config
        ? findOnly(folder, 'ConfigMap', config).data['rabbitmq.conf']
        : pod.containers[0].args.join(' ')
      expect(mentioned).toContain(`/store-users/${file}`)
      for (const { volumeMounts } of [pod.containers[0], container])
        expect(volumeMounts).toContainEqual(expect.objectContaining({ name: 'store-users', mountPath: '/store-users' }))
    }
  })

  test('the stores speak TLS only, with certificates for the names that others call', () => {
    for (const name of stores) {
      const pod = podOf(findOnly(folder, 'StatefulSet', name))
      const [container] = pod.containers
      const mounted = pod.volumes.flatMap((volume: { name: string; secret?: { items: { path: string }[] } }) =>
        container.volumeMounts.some((mount: { name: string }) => mount.name === volume.name)
          ? (volume.secret?.items ?? []).map(({ path }) => `/run/secrets/watchline/${path}`)
          : [],
      )
      const config = pod.volumes.find((volume: { configMap?: object }) => volume.configMap)?.configMap.name
      const conf = config ? findOnly(folder, 'ConfigMap', config).data['rabbitmq.conf'] : ''
      const used = `${JSON.stringify([container.args, container.readinessProbe])}\n${conf}`
      const files = [...used.matchAll(/\/run\/secrets\/watchline\/tls_\w+/g)].map(([path]) => path)
      expect([name, files.length > 1]).toEqual([name, true])
      for (const file of files) expect(mounted).toContain(file)
      expect(namesOf(secrets[name === 'mongodb' ? 'tls_pem_mongodb' : `tls_cert_${name}`]!)).toEqual([
        name,
        `${name}.watchline.svc`,
        `${name}-0`,
      ])
      if (name === 'mongodb') expect(used).toMatch(/--tlsMode requireTLS .*--tls --tlsCAFile/)
      if (name === 'redis') expect(used).toMatch(/"--port","0","--tls-port","6379".*redis-cli --tls/)
      if (name === 'rabbitmq') expectTlsOnly(conf, '/run/secrets/watchline')
    }
    for (const [name, address] of Object.entries(secrets))
      if (/^(mongo|amqp|redis)_url_/.test(name)) expect([name, isPlainConnection(address)]).toEqual([name, false])
  })

  test('has the same store versions as Compose', () => {
    const { services } = readCompose(composeFileOf(projectRoot), { OIDC_ISSUER: 'any', OIDC_CLIENT_ID: 'any' })
    for (const name of stores)
      expect(podOf(findOnly(folder, 'StatefulSet', name)).containers[0].image).toBe(services[name]!.image)
  })

  test('services and operator reach the databases; the gateway reaches only broker and live store', () => {
    const allows = createNetwork(built[folder])
    const party = (name: string): Party => ({ labels: podLabels(folder, name) })
    const store = (name: (typeof stores)[number]) => {
      const { name: port, containerPort } = podOf(findOnly(folder, 'StatefulSet', name)).containers[0].ports[0]
      return [party(name), { name: port, number: containerPort }] as const
    }
    const reaching = (name: (typeof stores)[number]) =>
      [...processes, 'mongodb-init', ...stores].filter(peer => peer !== name && allows(party(peer), ...store(name)))
    const services = processes.filter(name => name !== 'gateway')
    expect(reaching('mongodb')).toEqual([...services, 'mongodb-init'])
    expect(reaching('rabbitmq')).toEqual([...processes, 'mongodb-init'])
    expect(reaching('redis')).toEqual([...processes, 'mongodb-init'])
    expect(allows({ labels: {}, namespace: 'keda' }, ...store('rabbitmq'))).toBe(true)
    expect(allows({ labels: {}, namespace: 'keda' }, ...store('mongodb'))).toBe(false)
    for (const name of stores) expect(allows(party(name), 'outside', { number: 443 })).toBe(false)
  })
})

describe(operatorKustomization, () => {
  test('is a pod with the least privileges that reaches the stores in every overlay', async () => {
    const manifests = await buildManifests(projectRoot, operatorKustomization, tools)
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(['ConfigMap', 'Pod'])
    const pod = manifests.find(({ kind }) => kind === 'Pod')
    expect((await manifestValidator(tools))(pod!)).toEqual([])
    expect(pod!.metadata.namespace).toBe('watchline')
    expect(pod!.spec).toMatchObject({
      serviceAccountName: 'watchline',
      automountServiceAccountToken: false,
      restartPolicy: 'Never',
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    const [container] = pod!.spec.containers
    expect(container.image).toBe(podOf(findOnly('k8s/overlays/small', 'Job', 'mongodb-init')).containers[0].image)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const items = pod!.spec.volumes.find(({ name }: { name: string }) => name === 'secrets').secret.items
    for (const { name, value } of container.env) {
      const { key } = items.find(({ path }: { path: string }) => value === `/run/secrets/watchline/${path}`)
      expect([name, secrets[key]]).toEqual([name, expect.any(String)])
    }
    // An operator whose overlay differs changes these in one place.
    const [{ configMapRef }] = container.envFrom
    const { data } = findManifest(manifests, 'ConfigMap', configMapRef.name)
    const { amqpExchange, redisPrefix, databasePrefix } = baseVariables
    const names = { amqpExchange, redisPrefix, databasePrefix }
    for (const { name } of Object.values(names)) expect(data).toHaveProperty(name)
    expect(readConfig(data, names)).toEqual(readConfig({}, names))
    expect(data.AMQP_SERVICE_USERS).toBe(environment('k8s/overlays/small', 'chat').AMQP_SERVICE_USERS)
    const operator: Party = { labels: pod!.metadata.labels! }
    const inCluster = createNetwork(built['k8s/overlays/small'])
    for (const [name, port] of [
      ['mongodb', 'mongodb'],
      ['rabbitmq', 'amqp'],
      ['redis', 'redis'],
    ] as const)
      expect(inCluster(operator, { labels: podLabels('k8s/overlays/small', name) }, { name: port, number: 0 })).toBe(
        true,
      )
    const outside = createNetwork(built['k8s/overlays/production'])
    for (const number of [27017, 5671, 6380]) expect(outside(operator, 'outside', { number })).toBe(true)
    expect(outside(operator, 'outside', { number: 443 })).toBe(false)
  })
})

describe('k8s/overlays/production', () => {
  const folder = 'k8s/overlays/production'

  test('has no stores, and lets the services reach external ones', () => {
    expect(ofKind(folder, 'StatefulSet', 'Job', 'PersistentVolumeClaim')).toEqual([])
    const allows = createNetwork(built[folder])
    const party = (name: string): Party => ({ labels: podLabels(folder, name) })
    for (const name of processes) {
      expect(allows(party(name), 'outside', { number: 5671 })).toBe(true)
      expect(allows(party(name), 'outside', { number: 6380 })).toBe(true)
      expect(allows(party(name), 'outside', { number: 27017 })).toBe(name !== 'gateway')
    }
  })

  test('uses stores of the customer, whose users the commands of the page write', async () => {
    const folder = temporaryFolder()
    await writeSecretFiles(join(folder, 'secrets'), 'watchline.svc')
    for (const name of ['node_modules', 'tools']) symlinkSync(join(projectRoot, name), join(folder, name))
    const page = readFileSync(join(projectRoot, 'docs/deployment.md'), 'utf8')
    const [commands] = page.match(/(?:^ {4}.*\n)+(?=\s+rabbitmqctl import_definitions)/m)!
    await promisify(execFile)('sh', ['-ec', commands], { cwd: folder })
    expect(readdirSync(join(folder, 'store-users')).sort()).toEqual(['definitions.json', 'users.acl'])
  })

  test('keeps at least three replicas and gets its certificate automatically', () => {
    for (const { spec } of ofKind(folder, 'HorizontalPodAutoscaler')) expect(spec.minReplicas).toBeGreaterThanOrEqual(3)
    for (const { spec } of ofKind(folder, 'ScaledObject')) expect(spec.minReplicaCount).toBeGreaterThanOrEqual(3)
    const [ingress] = ofKind(folder, 'Ingress')
    expect(ingress!.metadata.annotations).toHaveProperty(['cert-manager.io/cluster-issuer'])
  })
})

test.each(['k8s/overlays/small', 'k8s/overlays/production'] as const)(
  '%s has its own namespace with the restricted standard',
  folder => {
    expect(findOnly(folder, 'Namespace', 'watchline').metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    })
    for (const { kind, metadata } of built[folder])
      if (kind !== 'Namespace')
        expect([kind, metadata.name, metadata.namespace]).toEqual([kind, metadata.name, 'watchline'])
  },
)

function podLabels(folder: Kustomization, name: string): Record<string, string> {
  const workload = workloads(folder).find(({ metadata }) => metadata.name === name)
  return workload!.spec.template.metadata.labels
}

/** The environment that the image sets. */
function imageOf(name: ProcessName): Record<string, string> {
  const path = name === 'gateway' ? 'gateway/Dockerfile' : 'services/Dockerfile'
  return imageConfig(parseDockerfile(readFileSync(join(projectRoot, path), 'utf8')), name).env
}

/** Creates a folder with the files of the pod's secret volume. */
function mountedSecrets(folder: Kustomization, name: ProcessName): string {
  const mounted = join(temporaryFolder(), 'secrets')
  mkdirSync(mounted)
  const { volumes } = podOf(findOnly(folder, 'Deployment', name))
  const { secret } = volumes.find((volume: { name: string }) => volume.name === 'secrets')
  for (const { key, path } of secret.items) writeFileSync(join(mounted, path), secrets[key] ?? '')
  return mounted
}
