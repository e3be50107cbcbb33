/**
 * Prefixes of the emptied databases of closed test worlds. The next world in the same test file
 * finds their collections and indexes, whose creation takes longer than most tests. Unless it is
 * open, a closed world drops its databases.
 */
export const databasePool = { isOpen: false, prefixes: [] as string[] }
