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
import { makeRoom } from './_chat-data.ts'

afterEach(() => window.sessionStorage.clear())

const rooms = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(id => [id, makeRoom({ id })]))
const windowKey = (id: string) => ({ personId: 'me', roomId: rooms[id]!.id })
const openAction = (id: string, room: ChatRoom = rooms[id]!) => windowOpened({ personId: 'me', room })
type Action = Parameters<typeof chatWindows>[1]
const reduceActions = (actions: Action[], state?: ChatWindows) => actions.reduce(chatWindows, state as ChatWindows)
const idsOf = (windows: readonly { other: { id: string } }[]) => windows.map(({ other }) => other.id).join('')
const describeArrangement = (state: ChatWindows, maxOpen = 3) => {
  const { open: openWindows, tabs } = arrangeWindows(windowsOf(state, 'me'), maxOpen)
  return `${idsOf(openWindows)}|${idsOf(tabs)}`
}

describe('chat windows', () => {
  test('keep their order; beyond the maximum, the least recently used one becomes a tab', () => {
    const threeOpen = reduceActions([openAction('a'), openAction('b'), openAction('c')])
    expect(describeArrangement(threeOpen)).toBe('abc|')
    expect(describeArrangement(reduceActions([openAction('d')], threeOpen))).toBe('bcd|a')
    expect(describeArrangement(reduceActions([windowUsed(windowKey('a')), openAction('d')], threeOpen))).toBe('acd|b')
    expect(describeArrangement(reduceActions([openAction('d'), windowRestored(windowKey('a'))], threeOpen))).toBe(
      'acd|b',
    )
    expect(describeArrangement(reduceActions([openAction('a')], threeOpen))).toBe('abc|')
  })

  test('can be minimised and closed; unknown windows are ignored', () => {
    const twoOpen = reduceActions([openAction('a'), openAction('b')])
    expect(describeArrangement(reduceActions([windowMinimised(windowKey('a'))], twoOpen))).toBe('b|a')
    expect(describeArrangement(reduceActions([windowClosed(windowKey('a'))], twoOpen))).toBe('b|')
    expect(reduceActions([windowMinimised(windowKey('c')), windowUsed(windowKey('b'))], twoOpen)).toBe(twoOpen)
  })

  test('show the most recently used ones if there is less room', () => {
    const threeOpen = reduceActions([openAction('a'), openAction('b'), openAction('c'), windowUsed(windowKey('a'))])
    expect(describeArrangement(threeOpen, 2)).toBe('ac|b')
    expect(describeArrangement(threeOpen, 1)).toBe('a|bc')
  })

  test('belong to one person', () => {
    expect(windowsOf(reduceActions([openAction('a')]), 'you')).toEqual([])
  })

  test('are restored after a reload; broken entries are ignored', () => {
    const earlierWindows = windowsOf(
      reduceActions([openAction('a'), openAction('b'), windowMinimised(windowKey('a'))]),
      'me',
    )
    storeWindows('me', earlierWindows)
    window.sessionStorage.setItem('watchline.chat.windows.you', '[{"roomId":1}]')
    const state = reduceActions([{ type: 'reloaded' }])
    expect(windowsOf(state, 'me')).toEqual(earlierWindows)
    expect(windowsOf(state, 'you')).toEqual([])
    storeWindows('me', [])
    expect(windowsOf(reduceActions([{ type: 'reloaded' }]), 'me')).toEqual([])
  })
})
