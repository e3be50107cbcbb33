import { email } from '@watchline/contracts/people'

/** The sender of all mails. Answers and bounces go to the address. */
export interface Sender {
  name: string
  address: string
  /** The part of the address after the @. */
  domain: string
}

/** Reads `address` or `Name <address>`; undefined if it is neither. */
export function parseSender(text: string): Sender | undefined {
  const match = /^\s*(?:"?([^"<>\p{Cc}]*?)"?\s*<([^<>\s]+)>|([^<>\s]+))\s*$/u.exec(text)
  if (!match) return undefined
  const address = email.safeParse(match[2] ?? match[3])
  if (!address.success) return undefined
  return { name: match[1] || 'Watchline', address: address.data, domain: address.data.split('@').at(-1)! }
}
