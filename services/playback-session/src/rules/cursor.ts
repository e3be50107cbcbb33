/** Where a page ended, in a list that is newest first: the time and id of its last entry. */
export interface Place {
  at: Date
  id: string
}

export function writeCursor({ at, id }: Place): string {
  return `${at.getTime()}.${id}`
}

/** Undefined for what no list ever gave out. */
export function readCursor(cursor: string): Place | undefined {
  const match = /^(\d{1,15})\.([\w:-]{1,150})$/.exec(cursor)
  return match ? { at: new Date(Number(match[1])), id: match[2]! } : undefined
}
