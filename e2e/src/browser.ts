import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** The system's Chromium, without a window and without connections to the internet. */
export async function openChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH
  if (!executablePath)
    throw new Error('CHROMIUM_PATH is not set: run the tests with `make test`, which finds a Chromium')
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--autoplay-policy=no-user-gesture-required',
    ],
  })
}

export interface Visit {
  context: BrowserContext
  page: Page
  /** Uncaught errors, and violations of the content security policy. */
  pageErrors: string[]
}

/**
 * Opens a person's own browser: a new profile with one page. Without a service worker, Playwright
 * sees every request.
 */
export async function startVisit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    serviceWorkers: 'block',
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(180_000)
  const pageErrors: string[] = []
  page.on('pageerror', error => pageErrors.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error' && /Content Security Policy|requires 'Trusted|Uncaught/.test(message.text()))
      pageErrors.push(message.text())
  })
  return { context, page, pageErrors }
}

export interface ScreenSize {
  /** CSS pixels. */
  width: number
  height: number
  /** A phone with a touch screen. */
  isMobile: boolean
}

/** Returns a function that gives the page another screen, and waits for its layout. */
export async function controlSize(page: Page): Promise<(size: ScreenSize) => Promise<void>> {
  const device = await page.context().newCDPSession(page)
  return async ({ isMobile, ...size }) => {
    await device.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: isMobile })
    await device.send('Emulation.setTouchEmulationEnabled', { enabled: isMobile })
    // The layout follows after a frame at the earliest. A browser that draws nothing has no frames,
    // so the wait also ends by time.
    await page.evaluate(
      () =>
        new Promise(resolve => {
          requestAnimationFrame(() => requestAnimationFrame(resolve))
          setTimeout(resolve, 2_000)
        }),
    )
  }
}

/** Waits until nothing moves by itself any more. Fades that follow a scroll position never end. */
export async function waitForAnimations(page: Page, options?: { timeout: number }): Promise<void> {
  await page.waitForFunction(
    () =>
      document
        .getAnimations()
        .every(({ playState, timeline }) => playState !== 'running' || !(timeline instanceof DocumentTimeline)),
    undefined,
    options,
  )
}

/**
 * Waits for a text that is shown for a few seconds only, so start it before the action. The page
 * itself looks: a slow test might look too late. It does not look in every frame, because reading
 * the text of a page takes a layout.
 */
export async function waitForBriefText(page: Page, text: string): Promise<void> {
  // biome-ignore lint/performance/useDomNodeTextContent: a hidden text does not count
  await page.waitForFunction(expected => document.body?.innerText.includes(expected), text, { polling: 100 })
}

export const maxSignInTries = 8

/**
 * Signs a person in through the development provider, and waits for their first screen. Like a
 * person, it tries again when the provider's answer came too late, as on a busy machine.
 */
export async function signIn(page: Page, baseUrl: string, email: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await page.goto(`${baseUrl}/api/auth/signin?login_hint=${encodeURIComponent(email)}`)
    // A failed sign-in ends on the sign-in page.
    await page.waitForURL(({ pathname }) => pathname === '/dashboard' || pathname === '/')
    if (new URL(page.url()).pathname === '/dashboard') return
    if (tries < maxSignInTries) continue
    throw new Error(`Nobody was signed in after ${tries} tries: ${await page.getByRole('main').textContent()}`)
  }
}

/** Gives the page a device with a fingerprint sensor that always recognises the person. */
export async function addPasskeyDevice(page: Page): Promise<void> {
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
}
