import { type Guarded, startGuarded } from './guard.ts'
import { findProgram, run } from './programs.ts'

let answers: Promise<boolean> | undefined

/**
 * Whether a container engine runs here. Checked once per process, because a client alone is common.
 */
export function dockerAnswers(): Promise<boolean> {
  const docker = findProgram('docker')
  answers ??= docker ? run(docker, ['info'], { limitMs: 5_000 }).then(result => result.ok) : Promise.resolve(false)
  return answers
}

/**
 * A container in the foreground, removed when it ends. The client forwards the guard's SIGTERM to
 * it.
 */
export function dockerRun(options: {
  image: string
  /** [port on this machine's loopback, port in the container] */
  publish: [number, number]
  options?: string[]
  args?: string[]
  logFile: string
}): Guarded {
  const [outside, inside] = options.publish
  return startGuarded({
    command: findProgram('docker') ?? 'docker',
    args: [
      'run',
      '--rm',
      ...['--publish', `127.0.0.1:${outside}:${inside}`],
      ...(options.options ?? []),
      options.image,
      ...(options.args ?? []),
    ],
    logFile: options.logFile,
  })
}
