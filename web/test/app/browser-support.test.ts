import { expect, test } from '@jest/globals'
import { isBrowserSupported, showUnsupportedBrowser } from '../../src/app/browser-support.ts'

const current = { AbortSignal: { any: () => {} }, Map: { groupBy: () => {} }, CSS: { supports: () => true } }

test('a browser with all that the client uses is supported', () => {
  expect(isBrowserSupported(current)).toBe(true)
})

test.each([
  { ...current, AbortSignal: {} },
  { ...current, Map: {} },
  { ...current, CSS: { supports: () => false } },
])('a browser without one of the newest features is not, and says what to do', platform => {
  expect(isBrowserSupported(platform)).toBe(false)
  const root = document.createElement('div')
  showUnsupportedBrowser(root)
  expect(root.textContent).toMatch(/^This browser is too old for Watchline\. Update it, or use another one: /)
})
