import { jest } from '@jest/globals'
import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Role } from '@watchline/contracts/people'
import { gateway } from '../../src/api/gateway.ts'
import { Chat } from '../../src/features/chat/chat.tsx'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

export const user = userEvent.setup()

/** The width of a desktop screen, or of a phone. */
export function screenIs(size: 'wide' | 'phone') {
  const matches = (query: string) => query.startsWith('(min-width') === (size === 'wide')
  const change = { addEventListener: () => {}, removeEventListener: () => {} }
  window.matchMedia = query => ({ matches: matches(query), media: query, ...change }) as unknown as MediaQueryList
}

/** The chat of `me`, with a button behind it. */
export function showChat({ role = 'user' }: { role?: Role } = {}) {
  const ring = jest.fn()
  const { store } = renderScreen(
    <>
      <Chat person={{ ...makeUser({ id: 'me', name: 'Trainee One' }), role }} ring={ring} />
      <button type="button">anything</button>
    </>,
  )
  return {
    ring,
    store,
    /** Refreshes like polling or a hint. */
    refresh: () => act(() => void store.dispatch(gateway.util.invalidateTags(['Chat']))),
  }
}

export const chatButton = (unread?: number) =>
  screen.findByRole('button', { name: unread === undefined ? /^Chat/ : `Chat, ${unread} unread` })

export async function openList() {
  await user.click(await chatButton())
  return within(await screen.findByRole('dialog', { name: 'Chat' }))
}

export async function openRoom(name: string) {
  const list = await openList()
  await user.click(await list.findByRole('button', { name: new RegExp(name) }))
  return chatWith(name)
}

export async function chatWith(name: string) {
  const element = await screen.findByRole('region', { name: `Chat with ${name}` })
  const inside = within(element)
  return {
    ...inside,
    element,
    field: () => inside.getByRole('textbox', { name: `Message to ${name}` }) as HTMLTextAreaElement,
    log: () => inside.getByRole('log', { name: `Messages with ${name}` }),
    /** The lines of the log, without times. */
    lines: () =>
      within(inside.getByRole('log'))
        .queryAllByRole('listitem')
        .map(line => wordsOf(line)),
  }
}

function wordsOf(line: HTMLElement): string {
  const bare = line.cloneNode(true) as HTMLElement
  for (const time of bare.querySelectorAll('time, button')) time.remove()
  return bare.textContent!.trim()
}

/** Simulates a browser's layout of logs: `shown` pixels high, each line `line`, until `restore`. */
export function layOutLogs({ shown = 300, line = 40 } = {}) {
  const tops = new WeakMap<Element, number>()
  const linesIn = (log: Element) => [...log.querySelectorAll<HTMLElement>('[data-line]')]
  const isLog = (element: Element) => element.getAttribute('role') === 'log'
  const heightOf = (log: Element) => Math.max(shown, linesIn(log).length * line)
  const layout: PropertyDescriptorMap = {
    clientHeight: { get: ofLog(() => shown) },
    scrollHeight: { get: ofLog(heightOf) },
    scrollTop: {
      get: ofLog(log => tops.get(log) ?? 0),
      set(this: Element, next: number) {
        tops.set(this, Math.max(0, Math.min(next, heightOf(this) - shown)))
      },
    },
    offsetHeight: { get: () => line },
    offsetTop: {
      get(this: Element) {
        const log = this.closest('[role=log]')
        return log ? Math.max(0, linesIn(log).indexOf(this as HTMLElement)) * line : 0
      },
    },
  }
  function ofLog(value: (log: Element) => number) {
    return function (this: Element) {
      return isLog(this) ? value(this) : 0
    }
  }
  const proto = window.HTMLElement.prototype
  const before = Object.keys(layout).map(name => [name, Object.getOwnPropertyDescriptor(proto, name)] as const)
  for (const [name, descriptor] of Object.entries(layout))
    Object.defineProperty(proto, name, { ...descriptor, configurable: true })

  return {
    scrollTo(log: HTMLElement, next: number) {
      log.scrollTop = next
      act(() => void log.dispatchEvent(new Event('scroll', { bubbles: true })))
    },
    /** The text at the upper edge. */
    first: (log: HTMLElement) => wordsOf(linesIn(log)[Math.floor(log.scrollTop / line)]!),
    restore() {
      for (const [name, descriptor] of before) {
        if (descriptor) Object.defineProperty(proto, name, descriptor)
        else delete (proto as unknown as Record<string, unknown>)[name]
      }
    },
  }
}

export function hidePage(hidden: boolean) {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (hidden ? 'hidden' : 'visible') })
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
}
