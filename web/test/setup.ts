import { jest } from '@jest/globals'
import { configure } from '@testing-library/react'

// A limit for results that never come. A slow machine needs several times the usual time.
configure({ asyncUtilTimeout: 60_000 })

// Stand-ins for browser features that jsdom lacks. No test asserts anything about them.
class IdleResizeObserver implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

if (typeof window !== 'undefined') {
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
