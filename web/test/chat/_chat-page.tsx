import { jest } from '@jest/globals'
import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Role } from '@watchline/contracts/people'
import { gateway } from '../../src/api/gateway.ts'
import { Chat } from '../../src/features/chat/chat.tsx'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

export const user = userEvent.setup()

/** Simulates the width of a desktop screen or of a phone. */
export function setScreen(size: 'wide' | 'phone') {
  const matches = (query: string) => query.startsWith('(min-width') === (size === 'wide')
  const listenerMethods = { addEventListener: () => {}, removeEventListener: () => {} }
  window.matchMedia = query =>
    ({ matches: matches(query), media: query, ...listenerMethods }) as unknown as MediaQueryList
}

/** Renders the chat of `me`, with a button behind it. */
export function renderChat({ role = 'user' }: { role?: Role } = {}) {
  const ring = jest.fn()
  const { store } = renderScreen(
    <>
      <Chat person={{ ...makeUser({ id: 'me', name: 'Trainee One' }), role }} onNewMessages={ring} />
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

export const findChatButton = (unread?: number) =>
  screen.findByRole('button', { name: unread === undefined ? /^Chat/ : `Chat, ${unread} unread` })

export async function openList() {
  await user.click(await findChatButton())
  return within(await screen.findByRole('dialog', { name: 'Chat' }))
}

export async function openRoom(name: string) {
  const list = await openList()
  await user.click(await list.findByRole('button', { name: new RegExp(name) }))
  return findChat(name)
}

export async function findChat(name: string) {
  const element = await screen.findByRole('region', { name: `Chat with ${name}` })
  const queries = within(element)
  return {
    ...queries,
    element,
    field: () => queries.getByRole('textbox', { name: `Message to ${name}` }) as HTMLTextAreaElement,
    log: () => queries.getByRole('log', { name: `Messages with ${name}` }),
    /** The lines of the log, without times. */
    lines: () =>
      within(queries.getByRole('log'))
        .queryAllByRole('listitem')
        .map(line => textWithoutTime(line)),
  }
}

function textWithoutTime(line: HTMLElement): string {
  const copy = line.cloneNode(true) as HTMLElement
  for (const time of copy.querySelectorAll('time, button')) time.remove()
  return copy.textContent!.trim()
}

/** Simulates the layout of logs in px: the visible height, and the same height for each line. */
export function simulateLogLayout({ visibleHeight = 300, lineHeight = 40 } = {}) {
  const scrollTops = new WeakMap<Element, number>()
  const linesOf = (log: Element) => [...log.querySelectorAll<HTMLElement>('[data-line]')]
  const isLog = (element: Element) => element.getAttribute('role') === 'log'
  const contentHeight = (log: Element) => Math.max(visibleHeight, linesOf(log).length * lineHeight)
  const layout: PropertyDescriptorMap = {
    clientHeight: { get: forLog(() => visibleHeight) },
    scrollHeight: { get: forLog(contentHeight) },
    scrollTop: {
      get: forLog(log => scrollTops.get(log) ?? 0),
      set(this: Element, position: number) {
        scrollTops.set(this, Math.max(0, Math.min(position, contentHeight(this) - visibleHeight)))
      },
    },
    offsetHeight: { get: () => lineHeight },
    offsetTop: {
      get(this: Element) {
        const log = this.closest('[role=log]')
        return log ? Math.max(0, linesOf(log).indexOf(this as HTMLElement)) * lineHeight : 0
      },
    },
  }
  function forLog(value: (log: Element) => number) {
    return function (this: Element) {
      return isLog(this) ? value(this) : 0
    }
  }
  const prototype = window.HTMLElement.prototype
  const originalDescriptors = Object.keys(layout).map(
    name => [name, Object.getOwnPropertyDescriptor(prototype, name)] as const,
  )
  for (const [name, descriptor] of Object.entries(layout))
    Object.defineProperty(prototype, name, { ...descriptor, configurable: true })

  return {
    scrollTo(log: HTMLElement, position: number) {
      log.scrollTop = position
      act(() => void log.dispatchEvent(new Event('scroll', { bubbles: true })))
    },
    /** The text of the topmost visible line. */
    topLineText: (log: HTMLElement) => textWithoutTime(linesOf(log)[Math.floor(log.scrollTop / lineHeight)]!),
    restore() {
      for (const [name, descriptor] of originalDescriptors) {
        if (descriptor) Object.defineProperty(prototype, name, descriptor)
        else delete (prototype as unknown as Record<string, unknown>)[name]
      }
    },
  }
}

export function hidePage(hidden: boolean) {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (hidden ? 'hidden' : 'visible') })
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
}
