/** The target of a request: the path unchanged, and the query with its question mark or empty. */
export interface Target {
  path: string
  query: string
}

const printable = /^\/[\x21-\x7e]*$/
const dotSegment = /\/\.{1,2}(\/|$)/
/**
 * An encoded slash, backslash, dot, percent sign or control character: each could lead a service to
 * another path.
 */
const ambiguousEncoding = /%(2f|5c|2e|25|[01][0-9a-f]|7f)/i

/**
 * Reads a request target strictly; undefined when it is refused. Nothing is normalised. The gateway
 * refuses a path that two programs could read differently, so that it sees the same prefix as the
 * service. Such paths have the absolute form, empty or dot segments, backslashes, encoded
 * separators or a broken encoding.
 */
export function readTarget(url: string | undefined): Target | undefined {
  if (url === undefined || !printable.test(url)) return undefined
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  if (path.includes('//') || path.includes('\\') || url.includes('#')) return undefined
  if (path.includes('/.') && dotSegment.test(path)) return undefined
  if (path.includes('%') && (ambiguousEncoding.test(path) || !isDecodable(path))) return undefined
  return { path, query: mark < 0 ? '' : url.slice(mark) }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
