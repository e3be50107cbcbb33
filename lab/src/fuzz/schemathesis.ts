// Schemathesis generates calls from the OpenAPI document and checks the answers against it. It is
// a Python program and comes from the Python package index.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findProgram, run } from '../../../tools/src/provision/programs.ts'
import { install } from '../../../tools/src/provision/system-packages.ts'
import { type Log, ProvisionError } from '../../../tools/src/provision/types.ts'
import { type Finding, readFindings } from './findings.ts'

const version = '4.32.5'
const installLimitMs = 15 * 60_000

/** The path of Schemathesis. Installs it into a virtual environment in the cache once. */
export async function provisionSchemathesis(cacheDir: string, log: Log): Promise<string> {
  const folder = join(cacheDir, `schemathesis-${version}`)
  const program = join(folder, 'bin/st')
  if (await answers(program)) return program
  mkdirSync(cacheDir, { recursive: true })
  const python = await findPython(log)
  log(`schemathesis: installing ${version} from the Python package index (once)`)
  const steps = [
    [python, '-m', 'venv', '--clear', folder],
    [join(folder, 'bin/python'), '-m', 'pip', 'install', '--quiet', `schemathesis==${version}`],
  ] as const
  for (const [command, ...args] of steps) {
    const result = await run(command, args, { limitMs: installLimitMs, env: { PIP_DISABLE_PIP_VERSION_CHECK: '1' } })
    if (!result.ok) throw new ProvisionError(`schemathesis could not be installed: ${result.lastLines}`)
  }
  return program
}

async function answers(program: string): Promise<boolean> {
  return findProgram(program) !== undefined && (await run(program, ['--version'], { limitMs: 120_000 })).ok
}

/** A Python that can make virtual environments; Debian has that part in a package of its own. */
async function findPython(log: Log): Promise<string> {
  const python = findProgram('python3')
  if (python && (await run(python, ['-c', 'import ensurepip, venv'], { limitMs: 60_000 })).ok) return python
  await install('python3-venv', log, ['python3'])
  const installed = findProgram('python3')
  if (!installed) throw new ProvisionError('Schemathesis needs Python 3 with venv. Install Python 3.')
  return installed
}

export interface FuzzRun {
  url: string
  /** Without `operations`, the session is that of all operations. */
  sessions: { headers: Record<string, string>; operations?: readonly string[] }[]
  /** The names of operations that are left out. */
  without: readonly string[]
  phases: readonly Phase[]
  /** The names of Schemathesis' checks; undefined: all. */
  checks?: readonly string[] | undefined
  /** Cases an operation and phase; the phase `coverage` has its own number. */
  maxExamples: number
  /** The phases fuzzing and stateful repeat for this long; undefined: each runs once. */
  seconds?: number | undefined
  seed: number
  reportFile: string
}

export const phases = ['examples', 'coverage', 'fuzzing', 'stateful'] as const
export type Phase = (typeof phases)[number]

/** All findings of one run. Rejects if Schemathesis could not do its work. */
export async function runSchemathesis(program: string, options: FuzzRun): Promise<Finding[]> {
  const { url, sessions, without, maxExamples, seconds, seed, reportFile } = options
  // It keeps notes in the folder in which it runs.
  const cwd = dirname(reportFile)
  const configFile = join(cwd, 'schemathesis.toml')
  writeFileSync(configFile, sessions.map(describeSession).join('\n'), { mode: 0o600 })
  const args = [
    ...['--config-file', configFile],
    'run',
    `${url}/api/openapi.json`,
    ...without.flatMap(name => ['--exclude-operation-id', name]),
    ...['--phases', options.phases.join(',')],
    ...['--checks', options.checks?.join(',') ?? 'all'],
    ...['--max-examples', String(maxExamples), '--seed', String(seed)],
    ...(seconds === undefined ? [] : ['--max-time', String(seconds)]),
    ...['--continue-on-failure', '--no-shrink', '--suppress-health-check', 'all', '--warnings', 'off'],
    ...['--wait-for-schema', '60', '--request-timeout', '60'],
    ...['--report-ndjson-path', reportFile],
  ]
  const result = await run(program, args, { limitMs: 90 * 60_000, cwd, env: { PYTHONUNBUFFERED: '1' } })
  const findings = readFindings(readFileSync(reportFile, 'utf8'))
  // It exits with 1 for findings too, and with nothing to say about the calls if it broke.
  if (!result.ok && findings.length === 0) throw new Error(`schemathesis failed: ${result.lastLines}`)
  return findings
}

/** A part of Schemathesis' settings in TOML, whose quoted texts are like those of JSON. */
function describeSession({ headers, operations }: FuzzRun['sessions'][number]): string {
  const fields = Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`)
  const inline = `headers = { ${fields.join(', ')} }\n`
  return operations ? `[[operations]]\ninclude-operation-id = ${JSON.stringify(operations)}\n${inline}` : inline
}
