import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import { type ChatRoom, chatRoom, chatType } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { z } from 'zod'

const chatWindow = z.object({
  roomId: z.string(),
  other: chatRoom.shape.other,
  chatType,
  /** Otherwise it is a tab. */
  open: z.boolean(),
  /** The higher, the later it was used. */
  used: z.number(),
})
export type ChatWindow = z.infer<typeof chatWindow>

/** Each person’s windows and tabs, in the order they were opened. */
export type ChatWindows = Readonly<Record<string, readonly ChatWindow[]>>

interface Named {
  personId: string
  roomId: string
}

const keyPrefix = 'watchline.chat.windows.'

const slice = createSlice({
  name: 'chatWindows',
  initialState: remembered,
  reducers: {
    windowOpened: (
      state,
      {
        payload: { personId, room },
      }: PayloadAction<{ personId: string; room: Pick<ChatRoom, 'id' | 'other' | 'chat_type'> }>,
    ) => {
      const windows = windowsOf(state, personId)
      const opened = { roomId: room.id, other: room.other, chatType: room.chat_type, open: true, used: next(windows) }
      const known = windows.some(each => each.roomId === room.id)
      const all = known ? windows.map(each => (each.roomId === room.id ? opened : each)) : [...windows, opened]
      return { ...state, [personId]: withinBound(all) }
    },
    windowRestored: (state, { payload }: PayloadAction<Named>) =>
      changed(state, payload, (each, windows) => ({ ...each, open: true, used: next(windows) })),
    windowUsed: (state, { payload }: PayloadAction<Named>) =>
      changed(state, payload, (each, windows) => (isLatest(each, windows) ? each : { ...each, used: next(windows) })),
    windowMinimised: (state, { payload }: PayloadAction<Named>) =>
      changed(state, payload, each => ({ ...each, open: false })),
    windowClosed: (state, { payload: { personId, roomId } }: PayloadAction<Named>) => ({
      ...state,
      [personId]: windowsOf(state, personId).filter(each => each.roomId !== roomId),
    }),
  },
})

export const { windowOpened, windowRestored, windowUsed, windowMinimised, windowClosed } = slice.actions
export const chatWindows = slice.reducer

const none: readonly ChatWindow[] = []

export function windowsOf(state: ChatWindows, personId: string): readonly ChatWindow[] {
  return state[personId] ?? none
}

function changed(
  state: ChatWindows,
  { personId, roomId }: Named,
  change: (each: ChatWindow, windows: readonly ChatWindow[]) => ChatWindow,
): ChatWindows {
  const windows = windowsOf(state, personId)
  const found = windows.find(each => each.roomId === roomId)
  const after = found && change(found, windows)
  if (!after || after === found) return state
  return { ...state, [personId]: withinBound(windows.map(each => (each === found ? after : each))) }
}

function next(windows: readonly ChatWindow[]): number {
  return Math.max(0, ...windows.map(each => each.used)) + 1
}

function isLatest(window: ChatWindow, windows: readonly ChatWindow[]): boolean {
  return window.used === next(windows) - 1
}

/** One more than may be open, and the one longest unused becomes a tab. */
function withinBound(windows: readonly ChatWindow[]): readonly ChatWindow[] {
  const stays = new Set(latestOpen(windows, limits.chatWindows))
  return windows.map(each => (each.open && !stays.has(each) ? { ...each, open: false } : each))
}

/** The windows for which there is room, in their places; the rest are tabs. */
export function arrangedFor(windows: readonly ChatWindow[], most: number) {
  const shown = new Set(latestOpen(windows, most))
  return { open: windows.filter(each => shown.has(each)), tabs: windows.filter(each => !shown.has(each)) }
}

function latestOpen(windows: readonly ChatWindow[], most: number): ChatWindow[] {
  return windows
    .filter(each => each.open)
    .sort((one, other) => other.used - one.used)
    .slice(0, most)
}

/** Windows come back after a reload, in this tab of the browser. */
export function rememberWindows(personId: string, windows: readonly ChatWindow[]): void {
  try {
    if (windows.length === 0) window.sessionStorage.removeItem(keyPrefix + personId)
    else window.sessionStorage.setItem(keyPrefix + personId, JSON.stringify(windows))
  } catch {
    // A forbidden storage only costs the windows at a reload.
  }
}

function remembered(): ChatWindows {
  try {
    const keys = Object.keys(window.sessionStorage).filter(key => key.startsWith(keyPrefix))
    return Object.fromEntries(keys.map(key => [key.slice(keyPrefix.length), parse(window.sessionStorage.getItem(key))]))
  } catch {
    return {}
  }
}

function parse(text: string | null): readonly ChatWindow[] {
  return z.array(chatWindow).safeParse(JSON.parse(text ?? '[]')).data ?? none
}
