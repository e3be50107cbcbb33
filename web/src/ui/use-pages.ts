import { useState } from 'react'

/** Where one is in a list that comes by cursors. Another question begins at its first page. */
export function usePages(question: string) {
  /** The cursors of the pages passed on the way to the one shown, and the question they belong to. */
  const [place, setPlace] = useState<{ question: string; cursors: string[] }>({ question, cursors: [] })
  const cursors = place.question === question ? place.cursors : []
  return {
    /** From 0. */
    page: cursors.length,
    cursor: cursors.at(-1),
    /** To the next page, by its cursor, or back to one passed. */
    go(page: number, nextCursor: string | undefined) {
      if (page <= cursors.length) setPlace({ question, cursors: cursors.slice(0, page) })
      else if (nextCursor) setPlace({ question, cursors: [...cursors, nextCursor] })
    },
  }
}

export type Pages = ReturnType<typeof usePages>
