import { jest } from '@jest/globals'
import { configure } from '@testing-library/react'

// A limit for what never comes. A slow machine takes several times as long as a usual one.
configure({ asyncUtilTimeout: 60_000 })

// What jsdom lacks and the interface needs; nothing of it is looked at by a test.
class NoResizeObserver implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

if (typeof window !== 'undefined') {
  window.ResizeObserver ??= NoResizeObserver
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
