/**
 * Prefixes of the emptied databases of closed test worlds. The next world in the same test file
 * finds their collections and indexes, whose creation takes longer than most tests. While
 * the pool is not open, a world drops its databases when it closes.
 */
export const databasePool = { isOpen: false, prefixes: [] as string[] }
