/*
 * Answers of polled reads, by path. No answer may stay in the browser's cache, where the next person
 * at this computer could find it, so the page itself keeps those that it asks for again and again.
 */

interface KnownAnswer {
  etag: string
  body: unknown
  headers: Headers
}

const maxAnswers = 200
const answers = new Map<string, KnownAnswer>()

export function findKnownAnswer(path: string): KnownAnswer | undefined {
  return answers.get(path)
}

/** Without an ETag the server cannot say later that the answer is unchanged. */
export function rememberAnswer(path: string, body: unknown, headers: Headers): void {
  answers.delete(path)
  const etag = headers.get('etag')
  if (!etag) return
  answers.set(path, { etag, body, headers })
  const [oldest] = answers.keys()
  if (answers.size > maxAnswers && oldest !== undefined) answers.delete(oldest)
}

export function forgetAnswers(): void {
  answers.clear()
}
