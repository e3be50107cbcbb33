/**
 * The loggable part of an error: its type, its message without data, its origin. Its other fields
 * are left out, because drivers store documents in them.
 */
export interface LoggedError {
  type: string
  message: string
  code?: string | number
  stack?: string
  cause?: LoggedError
}

const longestText = 1_000
const deepestCause = 4

/**
 * The words of drivers and parsers quote what they choked on: an address in a unique index, the beginning of a body, the password
 * in a connection string. Each rule takes the quotation and leaves the sentence.
 */
const quotations: readonly [RegExp, string][] = [
  // MongoDB: E11000 duplicate key error … dup key: { email: "a@b.example" }
  [/dup key: \{.*\}/s, 'dup key: {…}'],
  // Credentials in an address; what may follow the host besides is the query, where tokens travel.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1…@'],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"']+)[?#][^\s"']*/gi, '$1'],
  // JSON.parse: Unexpected token 'h', "hello wor"... is not valid JSON
  [/Unexpected (token|string|number|non-whitespace).* JSON.*/s, 'Unexpected $1 in JSON'],
  // mongoose: Cast to string failed for value "…" (type string) at path "name"
  [/(for value |validator .* with )(["'`{[]).*?(?= \(type| at path|$)/gs, '$1(hidden)'],
  [/\beyJ[\w-]+\.[\w-]+(\.[\w-]*)?/g, '(token)'],
  [/\b(Bearer|Basic) [\w.~+/=-]+/g, '$1 (hidden)'],
  [/-----BEGIN [^-]*-----.*?(-----END [^-]*-----|$)/gs, '(key)'],
  [/[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(\.[\w-]+)+/g, '(address)'],
]

/** A text that may quote data, without what it quotes. */
export function redact(text: string): string {
  const bounded = text.length > longestText ? `${text.slice(0, longestText)}…` : text
  return quotations.reduce((told, [pattern, instead]) => told.replace(pattern, instead), bounded)
}

/** An error as it may stand in a log. */
export function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) {
    // Driver errors cross realms (Jest, workers); what is no error at all says only what it is.
    const like = Object(error) as { name?: unknown; message?: unknown }
    if (typeof like.message !== 'string') return { type: typeof error, message: 'not an error' }
  }
  const { name, message, code, stack, cause } = error as Error & { code?: unknown }
  const frames = stack
    ?.split('\n')
    .filter(line => /^\s+at /.test(line))
    .join('\n')
  const told: LoggedError = { type: String(name), message: redact(String(message)) }
  if (typeof code === 'number' || (typeof code === 'string' && code.length <= 50)) told.code = code
  if (frames) told.stack = frames
  if (cause !== undefined && depth < deepestCause) told.cause = serializeError(cause, depth + 1)
  return told
}
