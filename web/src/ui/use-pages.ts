import { useState } from 'react'

/** The position in a list with cursors. Another query starts at its first page. */
export function usePages(question: string) {
  /** The cursors of the visited pages, and the query they belong to. */
  const [place, setPlace] = useState<{ question: string; cursors: string[] }>({ question, cursors: [] })
  const cursors = place.question === question ? place.cursors : []
  return {
    /** Zero-based. */
    page: cursors.length,
    cursor: cursors.at(-1),
    /** Moves to the next page by its cursor, or back to a visited one. */
    go(page: number, nextCursor: string | undefined) {
      if (page <= cursors.length) setPlace({ question, cursors: cursors.slice(0, page) })
      else if (nextCursor) setPlace({ question, cursors: [...cursors, nextCursor] })
    },
  }
}

export type Pages = ReturnType<typeof usePages>
