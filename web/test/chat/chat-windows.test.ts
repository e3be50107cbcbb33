import { afterEach, describe, expect, test } from '@jest/globals'
import type { ChatRoom } from '@watchline/contracts/chat'
import {
  arrangeWindows,
  type ChatWindows,
  chatWindows,
  storeWindows,
  windowClosed,
  windowMinimised,
  windowOpened,
  windowRestored,
  windowsOf,
  windowUsed,
} from '../../src/features/chat/dock/chat-windows.ts'
import { makeRoom } from './_chat.ts'

afterEach(() => window.sessionStorage.clear())

const rooms = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(id => [id, makeRoom({ id })]))
const windowKey = (id: string) => ({ personId: 'me', roomId: rooms[id]!.id })
const opened = (id: string, room: ChatRoom = rooms[id]!) => windowOpened({ personId: 'me', room })
type Action = Parameters<typeof chatWindows>[1]
const after = (actions: Action[], state?: ChatWindows) => actions.reduce(chatWindows, state as ChatWindows)
const idsOf = (windows: readonly { other: { id: string } }[]) => windows.map(({ other }) => other.id).join('')
const shown = (state: ChatWindows, most = 3) => {
  const { open, tabs } = arrangeWindows(windowsOf(state, 'me'), most)
  return `${idsOf(open)}|${idsOf(tabs)}`
}

describe('chat windows', () => {
  test('keep their places; one more than may be open, and the one longest unused is a tab', () => {
    const three = after([opened('a'), opened('b'), opened('c')])
    expect(shown(three)).toBe('abc|')
    expect(shown(after([opened('d')], three))).toBe('bcd|a')
    expect(shown(after([windowUsed(windowKey('a')), opened('d')], three))).toBe('acd|b')
    expect(shown(after([opened('d'), windowRestored(windowKey('a'))], three))).toBe('acd|b')
    expect(shown(after([opened('a')], three))).toBe('abc|')
  })

  test('are minimised and closed; unknown windows are ignored', () => {
    const two = after([opened('a'), opened('b')])
    expect(shown(after([windowMinimised(windowKey('a'))], two))).toBe('b|a')
    expect(shown(after([windowClosed(windowKey('a'))], two))).toBe('b|')
    expect(after([windowMinimised(windowKey('c')), windowUsed(windowKey('b'))], two)).toBe(two)
  })

  test('show in less room the ones used last', () => {
    const three = after([opened('a'), opened('b'), opened('c'), windowUsed(windowKey('a'))])
    expect(shown(three, 2)).toBe('ac|b')
    expect(shown(three, 1)).toBe('a|bc')
  })

  test('are each person’s own', () => {
    expect(windowsOf(after([opened('a')]), 'you')).toEqual([])
  })

  test('come back after a reload; broken entries are ignored', () => {
    const before = windowsOf(after([opened('a'), opened('b'), windowMinimised(windowKey('a'))]), 'me')
    storeWindows('me', before)
    window.sessionStorage.setItem('watchline.chat.windows.you', '[{"roomId":1}]')
    const state = after([{ type: 'reloaded' }])
    expect(windowsOf(state, 'me')).toEqual(before)
    expect(windowsOf(state, 'you')).toEqual([])
    storeWindows('me', [])
    expect(windowsOf(after([{ type: 'reloaded' }]), 'me')).toEqual([])
  })
})
