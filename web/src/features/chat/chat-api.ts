import {
  type ChatMessage,
  type ChatRoom,
  getUnreadCount,
  listMessages,
  listRooms,
  markRead,
  sendMessage,
  tellTyping,
} from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { listUsers } from '@watchline/contracts/organisation'
import type { User } from '@watchline/contracts/people'
import { type Answer, callOperation } from '../../api/call-operation.ts'
import {
  type CacheDispatch,
  chatRooms,
  fromListOperation,
  fromOperation,
  gateway,
  type Page,
} from '../../api/gateway.ts'
import type { RequestOptions } from '../../outbox/outbox-types.ts'
import type { NewMessage } from './outbox/unsent-messages.ts'
import { addNewest, addOlder, addSent, findCompleteUpTo, type KnownMessages } from './window/message-cache.ts'

/**
 * The most pages that are read to close a gap after an absence. After more, the room starts anew.
 */
const maxMissedPages = 10

const pages = {
  initialPageParam: undefined,
  getNextPageParam: (page: Page<unknown>) => page.nextCursor,
}

export const chatApi = gateway.injectEndpoints({
  endpoints: build => ({
    getUnreadCount: build.query({ ...fromOperation(getUnreadCount), providesTags: [chatRooms] }),
    /** The argument is the search text. Rooms with messages come first, then people without. */
    listRooms: build.infiniteQuery<Page<ChatRoom>, string, string | undefined>({
      infiniteQueryOptions: pages,
      query: ({ queryArg: search, pageParam: cursor }) =>
        fromListOperation(listRooms).query({ query: { search: search || undefined, cursor } }),
      transformResponse: fromListOperation(listRooms).transformResponse,
      providesTags: [chatRooms],
    }),
    /** All people, for administrators, who may write to anyone. */
    listEveryone: build.infiniteQuery<Page<User>, string, string | undefined>({
      infiniteQueryOptions: pages,
      query: ({ queryArg: search, pageParam: cursor }) =>
        fromListOperation(listUsers).query({ query: { search: search || undefined, cursor, limit: 30 } }),
      transformResponse: fromListOperation(listUsers).transformResponse,
      providesTags: ['People'],
    }),
    /** The loaded messages of a room. A refetch adds the newest messages to them. */
    listMessages: build.query<KnownMessages, string>({
      queryFn: async (roomId, { getState, signal }) => {
        const known = chatApi.endpoints.listMessages.select(roomId)(getState() as never).data
        const answer = await readNewest(roomId, known, signal)
        return answer.ok ? { data: answer.data } : { error: failureOf(answer) }
      },
      merge: addNewest,
      providesTags: (_result, _error, roomId) => [{ type: 'Chat', id: roomId }],
    }),
    readOlderMessages: build.mutation<KnownMessages, { roomId: string; cursor: string }>({
      queryFn: async ({ roomId, cursor }, { signal }) => {
        const answer = await readPage(roomId, cursor, signal)
        return answer.ok ? { data: answer.data } : { error: failureOf(answer) }
      },
      onQueryStarted: async ({ roomId }, { dispatch, queryFulfilled }) => {
        const older = await queryFulfilled.catch(() => undefined)
        if (older) dispatch(chatApi.util.updateQueryData('listMessages', roomId, known => addOlder(known, older.data)))
      },
    }),
    markRead: build.mutation({ ...fromOperation(markRead), invalidatesTags: [chatRooms] }),
    tellTyping: build.mutation(fromOperation(tellTyping)),
  }),
})

export const {
  useGetUnreadCountQuery,
  useListRoomsInfiniteQuery,
  useListEveryoneInfiniteQuery,
  useListMessagesQuery,
  useReadOlderMessagesMutation,
  useMarkReadMutation,
  useTellTypingMutation,
} = chatApi

type FailedAnswer<T> = Exclude<Answer<T>, { ok: true }>

function failureOf<T>({ ok: _, ...failure }: FailedAnswer<T>) {
  return failure
}

async function readPage(
  roomId: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Answer<KnownMessages>> {
  const answer = await callOperation(listMessages, { params: { roomId }, query: { cursor } }, { signal })
  if (!answer.ok) return answer
  return { ...answer, data: { messages: answer.data, olderCursor: answer.headers.get('x-next-cursor') ?? undefined } }
}

/** Reads the newest page, and the pages between it and the known messages. */
async function readNewest(roomId: string, known: KnownMessages | undefined, signal: AbortSignal) {
  let answer = await readPage(roomId, undefined, signal)
  const upTo = known ? findCompleteUpTo(known) : 0
  for (let page = 1; upTo > 0 && answer.ok && page < maxMissedPages; page += 1) {
    const { messages, olderCursor } = answer.data
    if (!olderCursor || messages.length === 0 || messages[0]!.seq <= upTo + 1) break
    const older = await readPage(roomId, olderCursor, signal)
    answer = older.ok ? { ...older, data: addOlder(answer.data, older.data) } : older
  }
  return answer
}

/** Not a mutation of the cache, because the outbox has its own retries. */
export function postMessage({ recipientId, chatType, message }: NewMessage, { id, ...options }: RequestOptions) {
  const body = { recipient_id: recipientId, chat_type: chatType, message, client_id: id }
  return callOperation(sendMessage, { body }, options)
}

/** Adds an accepted message to the shown room at once, and refetches the messages before it. */
export function addSentMessage(dispatch: CacheDispatch, roomId: string, message: ChatMessage): void {
  dispatch(chatApi.util.updateQueryData('listMessages', roomId, known => addSent(known, message)))
  dispatch(gateway.util.invalidateTags([chatRooms, { type: 'Chat', id: roomId }]))
}

/** Keeps only the first page of rooms, so that polling does not refetch the others. */
export function dropFurtherRooms(dispatch: CacheDispatch): void {
  dispatch(
    chatApi.util.updateQueryData('listRooms', '', data => {
      data.pages.splice(1)
      data.pageParams.splice(1)
    }),
  )
}

/** The polling interval of visible rooms and messages, ms. */
export const chatPollMs = limits.chatPollMs
