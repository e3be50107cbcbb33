/** No issued document is nested deeper. */
const maxDepth = 12

/**
 * Parses the text of a file from anybody. Undefined if it is no JSON, is nested too deeply, or
 * names a field twice: then two readers of the file could see different documents.
 */
export function parseStrictJson(text: string): unknown {
  const { depth, fields } = measure(text)
  if (depth > maxDepth) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return countFields(value) === fields ? value : undefined
  } catch {
    return undefined
  }
}

/** The depth of nesting and the number of fields, without parsing. */
function measure(text: string): { depth: number; fields: number } {
  let [level, depth, fields, inString] = [0, 0, 0, false]
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === ':') fields += 1
    else if (character === '{' || character === '[') depth = Math.max(depth, ++level)
    else if (character === '}' || character === ']') level -= 1
  }
  return { depth, fields }
}

function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts = Object.values(value)
  const own = Array.isArray(value) ? 0 : parts.length
  return parts.reduce((count: number, part) => count + countFields(part), own)
}
