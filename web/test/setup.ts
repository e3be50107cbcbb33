import { afterEach, jest } from '@jest/globals'

const reactInternals = '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'

// Stand-ins for browser features that jsdom lacks. No test asserts anything about them.
class IdleResizeObserver implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

// Without a window (the test of the build) React must not be loaded: it would believe in none for
// good.
if (typeof window !== 'undefined') {
  const React = await import('react')
  const { cleanup, configure, screen, within } = await import('@testing-library/react')
  // The library is loaded once for all test files, and keeps the first document.
  Object.assign(screen, within(document.body))
  // With it, the library notices fake timers.
  Object.assign(globalThis, { jest })
  afterEach(cleanup)
  // A limit for results that never come. A slow machine needs several times the usual time.
  configure({ asyncUtilTimeout: 60_000 })

  // React's development build records a stack trace for each of the first 10,000 elements in a
  // second. No test reads them, and they were a tenth of the processor time.
  const { [reactInternals]: internals } = React as unknown as Record<string, object>
  const noStacks = { get: () => 10_000, set: () => {}, configurable: true }
  if (internals) Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', noStacks)

  // Style sheets are not loaded. In a browser the position of these texts makes them blocks, so
  // their words stay apart in the names of controls.
  const style = document.createElement('style')
  style.textContent = '.wl-hidden { display: block }'
  document.head.append(style)

  window.ResizeObserver ??= IdleResizeObserver
  window.HTMLElement.prototype.scrollIntoView ??= () => {}
  window.HTMLCanvasElement.prototype.getContext = () => null
  window.matchMedia ??= query => ({
    matches: false,
    media: query,
    onchange: null,
    addListener: () => {},
    removeListener: () => {},
    addEventListener: () => {},
    removeEventListener: () => {},
    dispatchEvent: () => false,
  })
  window.scrollTo = jest.fn() as typeof window.scrollTo
}
