import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const readScript = (path: string) => readFileSync(createRequire(import.meta.url).resolve(path), 'utf8')
const axeSource = readScript('axe-core/axe.min.js')
const codeSnifferSource = readScript('html_codesniffer/build/HTMLCS.js')

const wcag22aa = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/**
 * The findings against WCAG 2.2 AA of axe and HTML_CodeSniffer on the current page, one line each.
 */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  return [...(await findAxeFaults(page)), ...(await findCodeSnifferFaults(page))]
}

/** axe's findings, with the sizes of targets; or its findings against `rules` only. */
export async function findAxeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  await addScript(page, 'axe', axeSource)
  // To axe, a button that is half below the sticky header is a target that is too small.
  await page.evaluate(() => window.scrollTo(0, 0))
  return page.evaluate(
    async ({ runOnly, withTargets }) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
      const targetSize = withTargets ? { rules: { 'target-size': { enabled: true } } } : {}
      const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'], ...targetSize })
      return violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.html} — ${node.failureSummary}`))
    },
    { runOnly: [...(rules ?? wcag22aa)], withTargets: rules === undefined },
  )
}

/** Codes of HTML_CodeSniffer that report no fault here. */
const ignoredCodes = [
  // Mantine's dialogs take the meaning of a banner from their header; the heading in it keeps its
  // own.
  'WCAG2AA.Principle1.Guideline1_3.1_3_1.F92,ARIA4',
]

/** This sniff throws at `autocomplete` on an email field. axe checks the attribute, too. */
const brokenSniff = 'HTMLCS_WCAG2AAA_Sniffs_Principle1_Guideline1_3_1_3_5'

interface CodeSniffer {
  process(standard: string, root: Document, done: () => void): void
  getMessages(): { type: number; code: string; msg: string; element: Element }[]
}

/**
 * The errors of HTML_CodeSniffer on what is rendered; it also looks into closed parts of the page.
 * Its warnings and notices ask people to look, so they do not count.
 */
async function findCodeSnifferFaults(page: Page): Promise<string[]> {
  await addScript(page, 'HTMLCS', codeSnifferSource)
  return page.evaluate(
    async ({ ignored, broken }) => {
      const { HTMLCS } = globalThis as unknown as { HTMLCS: CodeSniffer }
      Object.assign((globalThis as unknown as Record<string, object>)[broken]!, { process: () => {} })
      await new Promise<void>(resolve => HTMLCS.process('WCAG2AA', document, resolve))
      const errorType = 1
      return HTMLCS.getMessages()
        .filter(({ type, code }) => type === errorType && !ignored.includes(code))
        .filter(({ element }) => element.checkVisibility?.({ visibilityProperty: true }) ?? true)
        .map(({ code, msg, element }) => `${code}: ${element.outerHTML?.slice(0, 300)} — ${msg}`)
    },
    { ignored: ignoredCodes, broken: brokenSniff },
  )
}

/**
 * Playwright evaluates it through the debugger, so the content security policy does not block it.
 */
async function addScript(page: Page, globalName: string, source: string): Promise<void> {
  if (!(await page.evaluate(name => name in globalThis, globalName))) await page.evaluate(source)
}

/** True if the page scrolls sideways. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth > 1)
