/** A text in which every occurrence of the searched words, in lower case, is marked. */
export function MatchedText({ text, words }: { text: string; words: string }) {
  const lowerText = text.toLocaleLowerCase()
  // In some languages the lower case has another length, so that the places differ.
  if (words === '' || lowerText.length !== text.length) return text
  const parts: { from: number; text: string; isMatch: boolean }[] = []
  let from = 0
  for (let at = lowerText.indexOf(words); at >= 0; at = lowerText.indexOf(words, from)) {
    parts.push({ from, text: text.slice(from, at), isMatch: false })
    from = at + words.length
    parts.push({ from: at, text: text.slice(at, from), isMatch: true })
  }
  parts.push({ from, text: text.slice(from), isMatch: false })
  return parts.map(part =>
    part.isMatch ? <mark key={`${part.from}m`}>{part.text}</mark> : <span key={part.from}>{part.text}</span>,
  )
}
