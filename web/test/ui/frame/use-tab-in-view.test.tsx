import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, render, screen } from '@testing-library/react'
import { useTabInView } from '../../../src/ui/frame/use-tab-in-view.ts'

afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

function Tabs({ open }: { open: string }) {
  const list = useTabInView(open)
  return (
    <div role="tablist" ref={list}>
      {['first', 'second', 'third'].map(name => (
        <button type="button" key={name} role="tab" aria-selected={name === open}>
          {name}
        </button>
      ))}
    </div>
  )
}

test('the open tab comes into view again when a badge in another tab moves it', () => {
  let moved = () => {}
  jest.spyOn(window, 'ResizeObserver').mockImplementation(callback => {
    moved = () => callback([], observer)
    const observer = { observe: () => {}, unobserve: () => {}, disconnect: () => {} }
    return observer
  })
  let end = 280
  const list = () => screen.getByRole('tablist')
  jest.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const [left, right] = this.textContent === 'third' ? [end - 100, end].map(x => x - list().scrollLeft) : [0, 320]
    return { left, right, width: right! - left! } as DOMRect
  })
  render(<Tabs open="third" />)
  expect(list().scrollLeft).toBe(0)
  end = 350
  moved()
  // The edge, where the tabs fade, is not over the open one.
  expect(list().scrollLeft).toBe(30 + 40)
})

test('the open tab scrolls into the view of its list, and the page does not move', () => {
  const list = () => screen.getByRole('tablist')
  const places: Record<string, [left: number, right: number]> = {
    first: [0, 150],
    second: [150, 300],
    third: [300, 450],
  }
  jest.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const place = places[this.textContent ?? '']
    const [left, right] = place ? place.map(x => x - list().scrollLeft) : [0, 320]
    return { left, right, width: right! - left! } as DOMRect
  })
  // A browser calls back as soon as it observes.
  jest.spyOn(window, 'ResizeObserver').mockImplementation(callback => {
    const observer = { observe: () => callback([], observer), unobserve: () => {}, disconnect: () => {} }
    return observer
  })
  const scrollPage = jest.spyOn(HTMLElement.prototype, 'scrollIntoView')
  const { rerender } = render(<Tabs open="third" />)
  expect(list().scrollLeft).toBe(130 + 40)
  rerender(<Tabs open="second" />)
  expect(list().scrollLeft).toBe(150 - 40)
  rerender(<Tabs open="first" />)
  // A browser scrolls to the start at most.
  expect(list().scrollLeft).toBe(0 - 40)
  expect(scrollPage).not.toHaveBeenCalled()
})

test('a list that is not laid out for a moment stays where it is', () => {
  let moved = () => {}
  jest.spyOn(window, 'ResizeObserver').mockImplementation(callback => {
    moved = () => callback([], observer)
    const observer = { observe: () => {}, unobserve: () => {}, disconnect: () => {} }
    return observer
  })
  let width = 320
  jest.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const [left, right] = this.getAttribute('role') === 'tab' ? [100, 200] : [0, width]
    return { left, right, width: right! - left! } as DOMRect
  })
  render(<Tabs open="second" />)
  width = 0
  moved()
  expect(screen.getByRole('tablist').scrollLeft).toBe(0)
})
