const checkMs = 50
const longestMs = 2_000

let pendingReads = 0
let loaded: Promise<void> | undefined

/** Counts a read of the API as pending until it is answered. */
export async function trackRead<T>(read: Promise<T>): Promise<T> {
  pendingReads += 1
  try {
    return await read
  } finally {
    pendingReads -= 1
  }
}

/** Resolves when the data of the first screen have arrived, or after a while. */
export function firstScreenLoaded(): Promise<void> {
  loaded ??= new Promise(resolve => {
    const startedAt = Date.now()
    const check = () => {
      if (pendingReads === 0 || Date.now() - startedAt >= longestMs) resolve()
      else setTimeout(check, checkMs)
    }
    setTimeout(check, checkMs)
  })
  return loaded
}

let latestImport: Promise<unknown> | undefined

/**
 * Imports code that the first screen does not show. On a slow connection it would delay the screen.
 * Each import begins in a task of its own, because it adds elements to the page.
 */
export function importLater<T>(load: () => Promise<T>): () => Promise<T> {
  return () => {
    latestImport = (latestImport ?? firstScreenLoaded()).then(() => new Promise(resolve => setTimeout(resolve)))
    return latestImport.then(load)
  }
}
