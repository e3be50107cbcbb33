import { findProgram, run } from './programs.ts'
import { canInstall, install } from './system-packages.ts'
import { type Log, ProvisionError } from './types.ts'

// The headless shell comes first, because it has no window system and no profile services: the
// journeys take about half the processor time with it.
const headlessShell = 'chromium-headless-shell'

const names = [
  headlessShell,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The path of a Chromium or Chrome that starts. */
export async function provisionChromium({ log }: { log: Log }): Promise<string> {
  const configured = process.env.CHROMIUM_PATH
  if (configured) {
    if (await startsUp(configured)) return configured
    throw new ProvisionError(
      `CHROMIUM_PATH is ${configured}, which does not start. Set it to the path of a Chromium or Chrome.`,
    )
  }
  if (!findProgram(headlessShell) && findProgram('apt-get') && (await canInstall())) {
    await install(headlessShell, log).catch(error => log(`using another browser: ${error.message}`))
  }
  const found = await findWorkingBrowser()
  if (found) return found
  if (await canInstall()) {
    await install('chromium', log, ['--cask', 'google-chrome'])
    const installed = await findWorkingBrowser()
    if (installed) return installed
  }
  throw new ProvisionError(
    'A browser is missing. Install Chromium (Debian: apt-get install chromium; macOS: brew install --cask google-chrome) or set CHROMIUM_PATH.',
  )
}

async function findWorkingBrowser(): Promise<string | undefined> {
  for (const name of names) {
    const path = findProgram(name)
    // Ubuntu's chromium-browser may be a stub that only asks for a snap.
    if (path && (await startsUp(path))) return path
  }
  return undefined
}

async function startsUp(path: string): Promise<boolean> {
  return (await run(path, ['--version', '--no-sandbox'], { limitMs: 20_000 })).ok
}
