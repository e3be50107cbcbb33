/** A piece of a message: text, or an address that may be opened. */
export type Token = { text: string } | { text: string; href: string }

/** An address begins at the start of a word. Closing and invisible characters end it. */
const candidate =
  /(?<![\p{L}\p{N}_])https?:\/\/[^\s<>"`{}|\\^\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/giu

/** Characters that, at the end of an address, belong to the sentence around it. */
const sentenceEnd =
  /[.,:;!?…'’”»*_~\u3001\u3002\u3009\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f]+$/u
const opens: Readonly<Record<string, string>> = { ')': '(', ']': '[' }

/**
 * Splits a message into text and addresses of http and https. Nothing else is interpreted. Joined,
 * the pieces are the message.
 */
export function tokenize(message: string): Token[] {
  const tokens: Token[] = []
  let done = 0
  for (const { 0: candidateText, index } of message.matchAll(candidate)) {
    const text = withoutSentence(candidateText)
    const href = hrefOf(text)
    if (!href) continue
    if (index > done) tokens.push({ text: message.slice(done, index) })
    tokens.push({ text, href })
    done = index + text.length
  }
  if (done < message.length) tokens.push({ text: message.slice(done) })
  return tokens
}

/**
 * A closing bracket belongs to the address only if it has an opening one: "(see http://a.org/(b))".
 */
function withoutSentence(candidateText: string): string {
  const open: Record<string, number> = { '(': 0, '[': 0 }
  for (const [index, character] of [...candidateText].entries()) {
    const opening = opens[character]
    if (character in open) open[character]! += 1
    else if (opening && open[opening] === 0) return [...candidateText].slice(0, index).join('').replace(sentenceEnd, '')
    else if (opening) open[opening]! -= 1
  }
  return candidateText.replace(sentenceEnd, '')
}

/** No link for "https://bank.example@evil.example", because readers mistake its host. */
function hrefOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, href } = new URL(text)
  const isWeb = protocol === 'http:' || protocol === 'https:'
  return isWeb && username === '' && password === '' ? href : undefined
}
