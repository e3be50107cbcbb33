import type { Page } from 'playwright-core'

/** Answers arrive within this time after the first one. */
const spreadMs = 500

/** Delays each answer to a read by its own time, the same in every run. */
export async function delayAnswers(page: Page): Promise<void> {
  await page.route('**/api/**', async route => {
    const request = route.request()
    const { pathname, search } = new URL(request.url())
    if (request.method() === 'GET' && request.resourceType() === 'fetch')
      await new Promise(resolve => setTimeout(resolve, delayOf(pathname + search)))
    await route.continue()
  })
}

function delayOf(address: string): number {
  let hash = 0
  for (const character of address) hash = (hash * 31 + character.charCodeAt(0)) % 65_521
  return 100 + (hash % spreadMs)
}

/**
 * Records from the next address on which visible controls, or parts with controls, change their
 * place. Returns the reader of the list.
 */
export async function recordMovedControls(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const control = 'button, a, input, select, [role=tab]'
    const moved: string[] = []
    Object.assign(window, { movedControls: moved })
    // On a slow machine, answers may come after the longest time for which the page holds back what
    // stands below them.
    const patience = new CSSStyleSheet()
    patience.replaceSync('[data-waits] { animation-delay: 600s }')
    document.adoptedStyleSheets = [patience]
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) {
        const { sources } = entry as PerformanceEntry & { sources: LayoutShiftSource[] }
        for (const { node, previousRect, currentRect } of sources) {
          const element = node instanceof Element ? node : node?.parentElement
          const isVisible = previousRect.width > 0 && currentRect.width > 0
          if (!element || !isVisible || Math.abs(currentRect.y - previousRect.y) <= 1) continue
          if (element.closest(control) || element.querySelector(control))
            moved.push(`${element.textContent?.slice(0, 60)}: ${previousRect.y} to ${currentRect.y}`)
        }
      }
    }).observe({ type: 'layout-shift', buffered: true })

    interface LayoutShiftSource {
      node: Node | null
      previousRect: DOMRectReadOnly
      currentRect: DOMRectReadOnly
    }
  })
  return () => page.evaluate(() => (window as unknown as { movedControls: string[] }).movedControls)
}
