import { Fragment } from 'react'
import { tokenize } from './text-tokens.ts'

/** The text of a message. Its addresses open in a new tab without access to this one. */
export function MessageText({ children }: { children: string }) {
  return tokenize(children).map((token, index) => {
    const key = `${index}`
    if (!('href' in token)) return <Fragment key={key}>{token.text}</Fragment>
    return (
      <a key={key} href={token.href} target="_blank" rel="noopener noreferrer" dir="ltr">
        {token.text}
      </a>
    )
  })
}
