import { useState } from 'react'

/** The position in a list with cursors. Another query starts at its first page. */
export function usePages(query: string) {
  /** The cursors of the visited pages, and the query they belong to. */
  const [position, setPosition] = useState<{ query: string; cursors: string[] }>({ query, cursors: [] })
  const cursors = position.query === query ? position.cursors : []
  return {
    /** Zero-based. */
    page: cursors.length,
    cursor: cursors.at(-1),
    /** Moves to the next page by its cursor, or back to a visited one. */
    open(page: number, nextCursor: string | undefined) {
      if (page <= cursors.length) setPosition({ query, cursors: cursors.slice(0, page) })
      else if (nextCursor) setPosition({ query, cursors: [...cursors, nextCursor] })
    },
  }
}

/**
 * The page of the shown items. A list shows the items of the previous page until the answer for
 * the requested page arrives.
 */
export function useShownPage(page: number, isAnswered: boolean): number {
  const [shownPage, setShownPage] = useState(page)
  if (isAnswered && shownPage !== page) setShownPage(page)
  return shownPage
}

export type Pages = ReturnType<typeof usePages>
