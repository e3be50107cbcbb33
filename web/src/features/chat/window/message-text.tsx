import { Fragment } from 'react'
import { tokensOf } from './text-tokens.ts'

/** The words of a message as they were written. Addresses can be opened, in a tab that knows nothing of this one. */
export function MessageText({ children }: { children: string }) {
  return tokensOf(children).map((token, place) => {
    const key = `${place}`
    if (!('href' in token)) return <Fragment key={key}>{token.text}</Fragment>
    return (
      <a key={key} href={token.href} target="_blank" rel="noopener noreferrer" dir="ltr">
        {token.text}
      </a>
    )
  })
}
