type Selection = Map<string, Selection | undefined>

/**
 * What is left of an answer under a `fields` parameter of Google's APIs: `a,b(c,d(e))`. Source:
 * developers.google.com/youtube/v3/getting-started, "partial resources".
 */
export function partialResponse(value: unknown, fields: string): unknown {
  const { selection, rest } = parse(fields)
  if (rest !== '') throw new Error(`fields: ${rest} is too much`)
  return select(value, selection)
}

function parse(text: string): { selection: Selection; rest: string } {
  const selection: Selection = new Map()
  let rest = text
  for (;;) {
    const name = /^\w+/.exec(rest)?.[0]
    if (!name) throw new Error(`fields: a name is missing before "${rest}"`)
    rest = rest.slice(name.length)
    if (rest.startsWith('(')) {
      const inner = parse(rest.slice(1))
      if (!inner.rest.startsWith(')')) throw new Error('fields: a bracket is not closed')
      selection.set(name, inner.selection)
      rest = inner.rest.slice(1)
    } else selection.set(name, undefined)
    if (!rest.startsWith(',')) return { selection, rest }
    rest = rest.slice(1)
  }
}

function select(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map(each => select(each, selection))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).flatMap(([name, part]) => {
    if (!selection.has(name)) return []
    const inner = selection.get(name)
    return [[name, inner ? select(part, inner) : part]]
  })
  return Object.fromEntries(kept)
}
