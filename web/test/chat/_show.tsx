import { jest } from '@jest/globals'
import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Role } from '@watchline/contracts/people'
import { gateway } from '../../src/api/gateway.ts'
import { Chat } from '../../src/features/chat/chat.tsx'
import { aUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

export const user = userEvent.setup()

/** As wide as a desk has it, or a phone. */
export function screenIs(size: 'wide' | 'phone') {
  const matches = (query: string) => query.startsWith('(min-width') === (size === 'wide')
  const change = { addEventListener: () => {}, removeEventListener: () => {} }
  window.matchMedia = query => ({ matches: matches(query), media: query, ...change }) as unknown as MediaQueryList
}

/** The chat of `me`, with something before and behind it. */
export function showChat({ role = 'user' }: { role?: Role } = {}) {
  const ring = jest.fn()
  const { store } = renderScreen(
    <>
      <Chat person={{ ...aUser({ id: 'me', name: 'Trainee One' }), role }} ring={ring} />
      <button type="button">anything</button>
    </>,
  )
  return {
    ring,
    store,
    /** As polling or a hint would. */
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
    /** What stands in the log, line by line, without times. */
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

/** As a browser lays a log out: `shown` pixels high over so many lines of `line` pixels. */
export function layOut(log: HTMLElement, { shown = 300, line = 40 } = {}) {
  const linesIn = () => [...log.querySelectorAll<HTMLElement>('[data-line]')]
  let top = 0
  Object.defineProperties(log, {
    clientHeight: { configurable: true, get: () => shown },
    scrollHeight: { configurable: true, get: () => linesIn().length * line },
    scrollTop: {
      configurable: true,
      get: () => top,
      set: (next: number) => {
        top = Math.max(0, Math.min(next, linesIn().length * line - shown))
      },
    },
  })
  const proto = window.HTMLElement.prototype
  const place = jest.spyOn(proto, 'offsetTop', 'get').mockImplementation(function (this: HTMLElement) {
    return Math.max(0, linesIn().indexOf(this)) * line
  })
  const height = jest.spyOn(proto, 'offsetHeight', 'get').mockImplementation(() => line)
  return {
    scrollTo(next: number) {
      log.scrollTop = next
      act(() => void log.dispatchEvent(new Event('scroll', { bubbles: true })))
    },
    /** The words at the upper edge. */
    first: () => wordsOf(linesIn()[Math.floor(top / line)]!),
    restore() {
      place.mockRestore()
      height.mockRestore()
    },
  }
}

export function hidePage(hidden: boolean) {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (hidden ? 'hidden' : 'visible') })
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
}
