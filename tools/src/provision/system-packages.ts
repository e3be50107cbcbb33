import { findProgram, run } from './programs.ts'
import { type Log, ProvisionError } from './types.ts'

// Debian starts a service when it is installed, unless policy-rc.d forbids it. Watchline runs its
// own instances. Several processes may install at the same time, and apt-get waits only for some of
// its locks.
const aptScript = `
set -e
if command -v flock > /dev/null; then
  exec 9> /var/lock/watchline-apt
  flock 9
fi
export DEBIAN_FRONTEND=noninteractive
created=
if [ ! -e /usr/sbin/policy-rc.d ]; then
  printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
  created=yes
fi
trap '[ -z "$created" ] || rm -f /usr/sbin/policy-rc.d' EXIT
apt-get update -q
apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
`

type Installer = (name: string) => [command: string, args: string[]]

let installer: Promise<Installer | undefined> | undefined
let queue: Promise<unknown> = Promise.resolve()

/** Whether this user can install packages without a prompt. */
export async function canInstall(): Promise<boolean> {
  return (await findInstaller()) !== undefined
}

/**
 * `name` is the Debian package; `brew` has Homebrew's arguments where they differ. Installs one
 * package at a time, because package managers lock.
 */
export function install(name: string, log: Log, brew: string[] = [name]): Promise<void> {
  const installation = queue.then(async () => {
    const installWith = await findInstaller()
    if (!installWith) throw new ProvisionError(`cannot install ${name} here`)
    const [command, args] = installWith(name)
    const full = command.endsWith('brew') ? [...args, ...brew] : [...args, name]
    log(`installing ${full.at(-1)} (${command.endsWith('brew') ? 'Homebrew' : 'apt-get'}; this can take some minutes)`)
    const result = await run(command, full, {
      limitMs: 20 * 60_000,
      onLine: line => /^(Get:.* MB\]|Fetched|==>)/.test(line) && log(`  ${line}`),
    })
    if (!result.ok) throw new ProvisionError(`installing ${name} failed:\n${result.lastLines}`)
  })
  queue = installation.catch(() => {})
  return installation
}

/** The path of a program; installs its package if the program is missing. */
export async function findOrInstall(program: string, name: string, log: Log, brew?: string[]): Promise<string> {
  const found = findProgram(program)
  if (found) return found
  if (await canInstall()) {
    await install(name, log, brew)
    const installed = findProgram(program)
    if (installed) return installed
  }
  throw new ProvisionError(`${program} is missing. Install it (Debian: apt-get install ${name}).`)
}

/** Poppler's program that reads the text of a PDF file. */
export const provisionPdftotext = (log: Log) => findOrInstall('pdftotext', 'poppler-utils', log, ['poppler'])

function findInstaller(): Promise<Installer | undefined> {
  installer ??= (async () => {
    const apt = findProgram('apt-get')
    if (apt && process.getuid?.() === 0)
      return (): [string, string[]] => ['/bin/sh', ['-c', aptScript, 'watchline-apt']]
    const sudo = findProgram('sudo')
    if (apt && sudo && (await run(sudo, ['-n', 'true'], { limitMs: 5_000 })).ok)
      return (): [string, string[]] => [sudo, ['-n', '/bin/sh', '-c', aptScript, 'watchline-apt']]
    const brew = findProgram('brew')
    return brew ? (): [string, string[]] => [brew, ['install']] : undefined
  })()
  return installer
}
