import { useReadOlderMessagesMutation } from '../chat-api.ts'

/** Reads the page before the oldest known, one at a time. */
export function useOlder(roomId: string, cursor: string | undefined) {
  const [readOlder, { isLoading, isError }] = useReadOlderMessagesMutation()
  return {
    there: cursor !== undefined,
    loading: isLoading,
    failed: isError,
    read() {
      if (cursor !== undefined && !isLoading) void readOlder({ roomId, cursor })
    },
  }
}

export type Older = ReturnType<typeof useOlder>
