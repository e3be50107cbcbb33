import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { buildManifests, type Manifest } from '../../src/deployment/manifests.ts'
import { composeFileOf, manifestValidator } from '../../src/deployment/schemas.ts'
import { type ProcessName, processes } from '../../src/deployment/settings.ts'
import { cacheFolder, projectRoot } from '../../src/provision/paths.ts'
import { temporaryFolder } from '../_processes.ts'
import { type ComposeFile, readCompose, readEnvFile } from './_compose.ts'
import { environmentOf, findManifest, podOf } from './_manifests.ts'
import { settingsFixedIn, settingsReadBy } from './_settings.ts'

const tools = { cacheDir: cacheFolder(), log: (line: string) => console.error(line) }
const readers = Object.fromEntries(processes.map(name => [name, settingsReadBy(name)])) as Record<
  ProcessName,
  Set<string>
>
const allSettings = [...new Set(Object.values(readers).flatMap(names => [...names]))]
const exampleValue = (setting: string) => `the value of ${setting}`

type Environment = Record<string, unknown>
/** The operator writes the value into a secret file, or replaces a file with a fixed path. */
const comesFromSecret = (env: Environment, setting: string) =>
  [env[setting], env[`${setting}_FILE`]].some(path => /^\/run\/secrets\//.test(String(path)))

describe('Compose', () => {
  const example = readEnvFile(join(projectRoot, '.env.compose.example'))
  const composeWith = (env: Record<string, string>) => readCompose(composeFileOf(projectRoot), env)
  const environmentIn = (file: ComposeFile, name: string): Environment => file.services[name]!.environment!

  test.each(processes)('%s gets every setting from .env or a secret file, but the listed ones', name => {
    const unset = environmentIn(composeWith(example), name)
    const set = environmentIn(
      composeWith({ ...example, ...Object.fromEntries(allSettings.map(setting => [setting, exampleValue(setting)])) }),
      name,
    )
    const fixed = [...readers[name]].filter(
      setting => set[setting] === unset[setting] && !comesFromSecret(set, setting),
    )
    expect(fixed.sort()).toEqual(settingsFixedIn('Compose', name))
  })

  test('MEDIA_ROOT is a folder of the machine, which the containers only read', () => {
    for (const name of ['gateway', 'playback-session']) {
      const unset = composeWith(example).services[name]!
      expect(unset.environment!.MEDIA_ROOT).toBe('')
      expect(unset.volumes).toEqual(['media:/media:ro'])
      const set = composeWith({ ...example, MEDIA_ROOT: '/srv/videos' }).services[name]!
      expect(set.environment!.MEDIA_ROOT).toBe('/media')
      expect(set.volumes).toEqual(['/srv/videos:/media:ro'])
    }
  })
})

describe('Kubernetes', () => {
  let base: Manifest[]
  beforeAll(async () => {
    base = await buildManifests(projectRoot, 'k8s/base', tools)
  })

  /** The manifests of an overlay as an operator would write it, with files beside it. */
  async function buildOverlay(kustomization: object, files: Record<string, string> = {}): Promise<Manifest[]> {
    const folder = temporaryFolder()
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    const resources = [relative(folder, join(projectRoot, 'k8s/base'))]
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify({ resources, ...kustomization }))
    return buildManifests('/', folder, tools)
  }

  /** The rule of docs/operations.md. */
  function configMapOf(setting: string, name: ProcessName): string {
    const organisation = base.find(({ kind, metadata }) => kind === 'ConfigMap' && /^organisation-/.test(metadata.name))
    if (setting in organisation!.data) return 'organisation'
    const services = processes.filter(process => process !== 'gateway')
    if (!services.every(service => readers[service].has(setting))) return `${name}-settings`
    return readers.gateway.has(setting) ? 'settings' : 'service-settings'
  }

  test('an overlay sets every setting of every process, but the listed ones and the secrets', async () => {
    const settable = processes.flatMap(name =>
      [...readers[name]]
        .filter(setting => !settingsFixedIn('Kubernetes', name).includes(setting))
        .filter(setting => !comesFromSecret(environmentOf(base, name), setting))
        .map(setting => ({ name, setting, map: configMapOf(setting, name) })),
    )
    const configMapGenerator = [...new Set(settable.map(({ map }) => map))].map(map => ({
      name: map,
      behavior: 'merge',
      literals: [...new Set(settable.filter(entry => entry.map === map).map(({ setting }) => setting))].map(
        setting => `${setting}=${exampleValue(setting)}`,
      ),
    }))
    const manifests = await buildOverlay({ configMapGenerator })
    for (const { name, setting } of settable)
      expect([name, setting, environmentOf(manifests, name)[setting]]).toEqual([name, setting, exampleValue(setting)])
  })

  test('an overlay takes a text of several lines from a file', async () => {
    const notice = 'First line\n\nSecond line\n'
    const files = ['MONITORING_NOTICE_TEXT=notice.txt']
    const configMapGenerator = [{ name: 'organisation', behavior: 'merge', files }]
    const manifests = await buildOverlay({ configMapGenerator }, { 'notice.txt': notice })
    expect(environmentOf(manifests, 'playback-session').MONITORING_NOTICE_TEXT).toBe(notice)
  })

  test('the component "media" mounts its claim where the two readers of MEDIA_ROOT look', async () => {
    const folder = join(projectRoot, 'k8s/components/media')
    const manifests = await buildOverlay({ components: [relative(temporaryFolder(), folder)] })
    const validate = await manifestValidator(tools)
    expect(manifests.flatMap(validate)).toEqual([])
    expect(findManifest(manifests, 'PersistentVolumeClaim', 'media').spec.accessModes).toEqual(['ReadWriteMany'])
    for (const name of processes) {
      const pod = podOf(findManifest(manifests, 'Deployment', name))
      const isReader = readers[name].has('MEDIA_ROOT')
      expect([name, environmentOf(manifests, name).MEDIA_ROOT]).toEqual([name, isReader ? '/media' : undefined])
      const volume = pod.volumes.find((entry: { name: string }) => entry.name === 'media')
      const mount = pod.containers[0].volumeMounts.find((entry: { name: string }) => entry.name === 'media')
      expect([volume, mount]).toEqual(
        isReader
          ? [
              { name: 'media', persistentVolumeClaim: { claimName: 'media', readOnly: true } },
              { name: 'media', mountPath: '/media', readOnly: true },
            ]
          : [undefined, undefined],
      )
    }
  })
})
