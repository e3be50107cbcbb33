import { useReadOlderMessagesMutation } from '../chat-api.ts'

/** Reads the page before the oldest message, one at a time. */
export function useOlderMessages(roomId: string, cursor: string | undefined) {
  const [readOlder, { isLoading, isError }] = useReadOlderMessagesMutation()
  return {
    hasMore: cursor !== undefined,
    isLoading,
    hasFailed: isError,
    read() {
      if (cursor !== undefined && !isLoading) void readOlder({ roomId, cursor })
    },
  }
}

export type OlderMessages = ReturnType<typeof useOlderMessages>
