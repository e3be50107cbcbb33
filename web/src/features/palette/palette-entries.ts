import { matchesSearch } from '@watchline/contracts/search-text'

/** One row of the command palette. */
export interface PaletteEntry {
  id: string
  label: string
  /** A second line, such as an email address or what the entry does. */
  detail?: string | undefined
  /** Runs after the palette has closed. */
  run: () => void
}

export interface PaletteSection {
  title: string
  entries: readonly PaletteEntry[]
}

/** The entries whose label contains every word of the search, in any order and place. */
export function filterEntries(entries: readonly PaletteEntry[], search: string): PaletteEntry[] {
  const words = search.split(/\s+/).filter(Boolean)
  return entries.filter(({ label }) => words.every(word => matchesSearch(word, label)))
}
