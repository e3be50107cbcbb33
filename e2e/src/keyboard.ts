import { eventually } from '@watchline/testing/harness'
import type { Locator, Page } from 'playwright-core'

const maxStops = 120
/** How often a covered or unmarked focus is looked at again; each look takes two frames. */
const maxLooks = 60

/**
 * Presses Tab until the target has the focus. Every stop on the way must be visible, show its focus
 * and lie below the sticky header.
 */
export async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.first().waitFor()
  const stops: string[] = []
  for (let stop = 0; stop < maxStops; stop += 1) {
    await page.keyboard.press(key)
    let focus = await describeFocus(page)
    // A dialog that fades out covers the page for a moment.
    for (let looks = 1; focus.fault && !focus.isAtEnd && looks < maxLooks; looks += 1) focus = await describeFocus(page)
    const { name, fault, isAtEnd } = focus
    stops.push(name)
    // After the last element the browser itself has the focus for one stop.
    if (fault && !isAtEnd) throw new Error(`${fault}: ${name}, after ${stops.join(' > ')}`)
    if (await hasFocus(target)) return
  }
  throw new Error(`Tab does not reach ${target}: ${stops.join(' > ')}`)
}

/** Moves to the target with Tab and presses Enter. */
export async function pressEnterOn(page: Page, target: Locator, key?: 'Tab' | 'Shift+Tab'): Promise<void> {
  await tabTo(page, target, key)
  await page.keyboard.press('Enter')
}

/** Moves from the selected tab of a tab list to another one with the arrow keys. */
export async function openTab(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, page.getByRole('tab', { selected: true }))
  const tab = page.getByRole('tab', { name })
  for (let stop = 0; stop < maxStops && !(await hasFocus(tab)); stop += 1) await page.keyboard.press('ArrowRight')
  await page.getByRole('tab', { name, selected: true }).waitFor()
}

/** Waits until the target has the focus, for example the button of a dialog that has closed. */
export async function waitForFocus(target: Locator): Promise<void> {
  await eventually(async () => {
    if (await hasFocus(target.first())) return
    const { name } = await describeFocus(target.page())
    throw new Error(`the focus is on ${name}, not on ${target}`)
  })
}

/** Waits until an element has the focus again after a change of the page, and returns its name. */
export async function waitForKeptFocus(page: Page): Promise<string> {
  await page.waitForFunction(() => document.activeElement !== null && document.activeElement !== document.body)
  return (await describeFocus(page)).name
}

function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluateAll(elements => elements.some(element => element === document.activeElement))
}

interface Focus {
  /** The tag and text of the focused element. */
  name: string
  fault: string | undefined
  isAtEnd: boolean
}

function describeFocus(page: Page): Promise<Focus> {
  return page.evaluate(async () => {
    // The skip link, for example, disappears one frame after it loses the focus.
    await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const focused = document.activeElement
    if (!focused || focused === document.body) return { name: 'body', fault: 'no element has the focus', isAtEnd: true }
    const text = focused.getAttribute('aria-label') ?? focused.textContent ?? ''
    const name = `${focused.tagName.toLowerCase()} "${text.trim().slice(0, 60)}"`

    // A hidden field shows its state and its focus on its label.
    const { labels } = focused as HTMLInputElement
    const { width, height } = focused.getBoundingClientRect()
    const isHiddenField = width < 2 || height < 2 || getComputedStyle(focused).opacity === '0'
    const shown = (isHiddenField && labels?.[0]) || focused

    const { left, top, right, bottom } = shown.getBoundingClientRect()
    const points = [0.5, 0.1, 0.9].flatMap(x => [0.5, 0.1, 0.9].map(y => [x, y] as const))
    const isUncovered = points.some(([x, y]) => {
      const hit = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y)
      return hit !== null && (shown.contains(hit) || hit.contains(shown))
    })
    // Some fields show the focus on the element beside or around them.
    const showsFocus = [shown, focused, focused.nextElementSibling, shown.parentElement].some(element => {
      const { outlineStyle, outlineWidth } = element
        ? getComputedStyle(element)
        : { outlineStyle: 'none', outlineWidth: '' }
      return outlineStyle !== 'none' && outlineWidth !== '0px'
    })
    const fault = !isUncovered ? 'the focus is hidden' : !showsFocus ? 'the focus is not shown' : undefined
    return { name, fault, isAtEnd: false }
  })
}
