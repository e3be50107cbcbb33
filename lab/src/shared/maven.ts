import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, run } from '../../../tools/src/provision/programs.ts'
import { ProvisionError } from '../../../tools/src/provision/types.ts'

/** Maven chooses the server; its settings may name a mirror. */
const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
const limitMs = 20 * 60_000

/** Downloads `group:name:version:type` into an empty folder. Returns the path of the file. */
export async function downloadWithMaven(artifact: string, folder: string): Promise<string> {
  await runProgram('mvn', ['-B', '-q', copyGoal, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`])
  const [file] = readdirSync(folder)
  if (!file) throw new ProvisionError(`Maven downloaded nothing for ${artifact}`)
  return join(folder, file)
}

export async function runProgram(name: string, args: string[]): Promise<void> {
  const result = await run(requireProgram(name), args, { limitMs })
  if (!result.ok) throw new ProvisionError(`${name} failed: ${result.lastLines}`)
}

export function requireProgram(name: string): string {
  const program = findProgram(name)
  if (!program) throw new ProvisionError(`${name} is not on PATH. Install it and start again.`)
  return program
}
