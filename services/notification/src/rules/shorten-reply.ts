import { limits } from '@watchline/contracts/limits'

/** The reply of a mail server as one line, cut to what is stored of it. */
export function shortenReply(reply: string): string {
  return reply.replace(/[\p{Cc}]+/gu, ' ').slice(0, limits.serverReplyMaxLength)
}
