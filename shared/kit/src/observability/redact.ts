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

const maxLength = 1_000
const maxCauses = 4

/**
 * Messages of drivers and parsers quote data: an address in a unique index, the beginning of a
 * body, the password in a connection string. Each rule removes the quotation and keeps the
 * sentence.
 */
const quotations: readonly [RegExp, string][] = [
  // MongoDB: E11000 duplicate key error … dup key: { email: "a@b.example" }
  [/dup key: \{.*\}/s, 'dup key: {…}'],
  // Credentials in an address, and its query, which may contain tokens.
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

/** The text without the data that it quotes. */
export function redact(text: string): string {
  const bounded = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return quotations.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), bounded)
}

/** The error as it may be logged. */
export function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) {
    // Errors of drivers may come from another realm (Jest, workers), where `instanceof` fails.
    const errorLike = Object(error) as { name?: unknown; message?: unknown }
    if (typeof errorLike.message !== 'string') return { type: typeof error, message: 'not an error' }
  }
  const { name, message, code, stack, cause } = error as Error & { code?: unknown }
  const frames = stack
    ?.split('\n')
    .filter(line => /^\s+at /.test(line))
    .join('\n')
  const logged: LoggedError = { type: String(name), message: redact(String(message)) }
  if (typeof code === 'number' || (typeof code === 'string' && code.length <= 50)) logged.code = code
  if (frames) logged.stack = frames
  if (cause !== undefined && depth < maxCauses) logged.cause = serializeError(cause, depth + 1)
  return logged
}
