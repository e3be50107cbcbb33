/** A piece of a message: words as they are, or an address that may be opened. */
export type Token = { text: string } | { text: string; href: string }

/** An address begins where a word begins. What could close it, or hide where it leads, ends it. */
const candidate =
  /(?<![\p{L}\p{N}_])https?:\/\/[^\s<>"`{}|\\^\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/giu

/** At the end of an address these belong to the sentence around it. */
const sentenceEnd =
  /[.,:;!?…'’”»*_~\u3001\u3002\u3009\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f]+$/u
const opens: Readonly<Record<string, string>> = { ')': '(', ']': '[' }

/**
 * Cuts a message into words and addresses. Nothing but http and https is an address, and nothing else is interpreted; put
 * together again the pieces are the message.
 */
export function tokensOf(message: string): Token[] {
  const tokens: Token[] = []
  let done = 0
  for (const { 0: found, index } of message.matchAll(candidate)) {
    const text = withoutSentence(found)
    const href = hrefOf(text)
    if (!href) continue
    if (index > done) tokens.push({ text: message.slice(done, index) })
    tokens.push({ text, href })
    done = index + text.length
  }
  if (done < message.length) tokens.push({ text: message.slice(done) })
  return tokens
}

/** A closing bracket belongs to it only with one that opens it: "(see https://example.org/a_(b))". */
function withoutSentence(found: string): string {
  const open: Record<string, number> = { '(': 0, '[': 0 }
  for (const [place, character] of [...found].entries()) {
    const opening = opens[character]
    if (character in open) open[character]! += 1
    else if (opening && open[opening] === 0) return [...found].slice(0, place).join('').replace(sentenceEnd, '')
    else if (opening) open[opening]! -= 1
  }
  return found.replace(sentenceEnd, '')
}

/** Who reads "https://bank.example@evil.example" takes the wrong part for the host: no link is made of it. */
function hrefOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, href } = new URL(text)
  const web = protocol === 'http:' || protocol === 'https:'
  return web && username === '' && password === '' ? href : undefined
}
