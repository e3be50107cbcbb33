import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../../tools/src/provision/paths.ts'
import { findProgram, run } from '../../../tools/src/provision/programs.ts'
import { type Log, ProvisionError } from '../../../tools/src/provision/types.ts'

/** Maven decides from where: its own settings may name a mirror. */
const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
const limitMs = 20 * 60_000

/** The folder of an unpacked Keycloak; the first call downloads it. */
export async function downloadKeycloak(version: string, log: Log): Promise<string> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new ProvisionError(`KEYCLOAK_VERSION: "${version}" is no version`)
  const cache = join(cacheFolder(), 'keycloak')
  const folder = join(cache, `keycloak-${version}`)
  if (existsSync(folder)) return folder
  const workFolder = join(cache, `unpacking-${process.pid}`)
  mkdirSync(workFolder, { recursive: true })
  try {
    const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`
    log(`downloading ${artifact} with Maven (about 150 MB)`)
    await runProgram('mvn', ['-B', '-q', copyGoal, `-Dartifact=${artifact}`, `-DoutputDirectory=${workFolder}`])
    const zip = readdirSync(workFolder).find(name => name.endsWith('.zip'))
    if (!zip) throw new ProvisionError('Maven downloaded no Keycloak')
    await runProgram('unzip', ['-q', join(workFolder, zip), '-d', workFolder])
    chmodSync(join(workFolder, `keycloak-${version}`, 'bin', 'kc.sh'), 0o755)
    // A parallel start may have been faster; then its folder stays.
    if (!existsSync(folder)) renameSync(join(workFolder, `keycloak-${version}`), folder)
    return folder
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
}

async function runProgram(name: string, args: string[]): Promise<void> {
  const program = findProgram(name)
  if (!program) throw new ProvisionError(`Keycloak needs ${name}, which is not on PATH`)
  const result = await run(program, args, { limitMs })
  if (!result.ok) throw new ProvisionError(`${name} failed: ${result.lastLines}`)
}
