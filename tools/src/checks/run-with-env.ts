import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { projectRoot } from '../provision/paths.ts'

/**
 * Runs a command on this terminal with the project's programs first on PATH. Returns its exit code.
 */
export async function runWithEnv(
  [program = '', ...args]: string[],
  env: Record<string, string>,
  interrupted: Promise<NodeJS.Signals>,
): Promise<number> {
  const path = [join(projectRoot, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, PATH: path, ...env } })
  void interrupted.then(signal => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 1
}
