import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../../tools/src/provision/paths.ts'
import { run } from '../../../tools/src/provision/programs.ts'
import { type Log, ProvisionError } from '../../../tools/src/provision/types.ts'
import { downloadWithMaven, requireProgram } from '../shared/maven.ts'

export const version = '1.28.2'
const sha256 = '687d4d8bcfec48c9f7e931cf78ed061f1eeccfba55d4cdc000ba9b4d8aa46ce6'
const mainClass = 'org.verapdf.apps.GreenfieldCliWrapper'
const limitMs = 10 * 60_000

/** The program of veraPDF as one jar; the first call downloads it. */
export async function downloadVeraPdf(log: Log): Promise<string> {
  requireProgram('java')
  const cache = join(cacheFolder(), 'verapdf')
  const jar = join(cache, `greenfield-apps-${version}.jar`)
  if (!existsSync(jar)) {
    const workFolder = join(cache, `download-${process.pid}`)
    mkdirSync(workFolder, { recursive: true })
    try {
      const artifact = `org.verapdf.apps:greenfield-apps:${version}:jar`
      log(`downloading ${artifact} with Maven (about 10 MB)`)
      renameSync(await downloadWithMaven(artifact, workFolder), jar)
    } finally {
      rmSync(workFolder, { recursive: true, force: true })
    }
  }
  const hash = createHash('sha256').update(readFileSync(jar)).digest('hex')
  if (hash !== sha256)
    throw new ProvisionError(`${jar} has the SHA-256 ${hash} instead of ${sha256}. Delete it and start again.`)
  return jar
}

/** The broken rules of ISO 14289-1 (PDF/UA-1) by file: `7.1-9` is the ninth test of clause 7.1. */
export async function validate(jar: string, files: readonly string[]): Promise<Map<string, string[]>> {
  const args = ['-cp', jar, mainClass, '--flavour', 'ua1', '--format', 'text', '-v', ...files]
  // The exit code is also 1 if a file is invalid.
  const { stdout, lastLines } = await run(requireProgram('java'), args, { limitMs })
  const rules = new Map<string, string[]>()
  for (const [, result, path, lines] of stdout.matchAll(/^(PASS|FAIL) (.+) ua1$((?:\n .*)*)/gm)) {
    const broken = [...lines!.matchAll(/^ +FAIL (\S+)/gm)].map(([, rule]) => rule!)
    rules.set(path!, result === 'FAIL' && broken.length === 0 ? ['unnamed rule'] : broken)
  }
  const unknown = files.filter(file => !rules.has(file))
  if (unknown.length > 0) throw new ProvisionError(`veraPDF did not validate ${unknown.join(', ')}: ${lastLines}`)
  return rules
}
