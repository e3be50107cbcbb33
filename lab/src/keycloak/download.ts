import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../../tools/src/provision/paths.ts'
import { type Log, ProvisionError } from '../../../tools/src/provision/types.ts'
import { downloadWithMaven, runProgram } from '../shared/maven.ts'

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
    const zip = await downloadWithMaven(artifact, workFolder)
    await runProgram('unzip', ['-q', zip, '-d', workFolder])
    chmodSync(join(workFolder, `keycloak-${version}`, 'bin', 'kc.sh'), 0o755)
    // A parallel start may have been faster; then its folder stays.
    if (!existsSync(folder)) renameSync(join(workFolder, `keycloak-${version}`), folder)
    return folder
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
}
