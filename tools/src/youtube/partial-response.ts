type Selection = Map<string, Selection | undefined>

/**
 * Selects the fields of an answer that a `fields` parameter of Google's APIs names: `a,b(c,d(e))`.
 * Source: developers.google.com/youtube/v3/getting-started, "partial resources".
 */
export function partialResponse(value: unknown, fields: string): unknown {
  const { selection, remaining } = parse(fields)
  if (remaining !== '') throw new Error(`fields: unexpected "${remaining}"`)
  return select(value, selection)
}

function parse(text: string): { selection: Selection; remaining: string } {
  const selection: Selection = new Map()
  let remaining = text
  for (;;) {
    const name = /^\w+/.exec(remaining)?.[0]
    if (!name) throw new Error(`fields: a name is missing before "${remaining}"`)
    remaining = remaining.slice(name.length)
    if (remaining.startsWith('(')) {
      const inner = parse(remaining.slice(1))
      if (!inner.remaining.startsWith(')')) throw new Error('fields: a bracket is not closed')
      selection.set(name, inner.selection)
      remaining = inner.remaining.slice(1)
    } else selection.set(name, undefined)
    if (!remaining.startsWith(',')) return { selection, remaining }
    remaining = remaining.slice(1)
  }
}

function select(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map(item => select(item, selection))
  if (typeof value !== 'object' || value === null) return value
  const selected = Object.entries(value).flatMap(([name, part]) => {
    if (!selection.has(name)) return []
    const inner = selection.get(name)
    return [[name, inner ? select(part, inner) : part]]
  })
  return Object.fromEntries(selected)
}
