import { ImapFlow } from 'imapflow'
import type { ServerAddress } from '../config.ts'

/** Reading continues here. UIDs are valid for one `uidValidity` of the mailbox (RFC 3501). */
export interface MailboxPosition {
  uidValidity: string
  uid: number
}

export interface MailboxBatch {
  messages: readonly { uid: number; source: string }[]
  position: MailboxPosition
}

export interface DeliveryReportMailbox {
  /**
   * Reads the messages after a position in batches, and calls `handle` with each. It returns the
   * UIDs to delete. Rejects if the mailbox cannot be read.
   */
  readAfter(
    position: MailboxPosition | undefined,
    handle: (batch: MailboxBatch) => Promise<readonly number[]>,
  ): Promise<void>
}

const batchSize = 100
/** Delivery reports are small, but they may contain the whole mail. */
const maxMessageBytes = 256 * 1024
const timeouts = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 60_000 }

export function createDeliveryReportMailbox({
  host,
  port,
  isSecure,
  allowsPlain,
  user,
  password,
}: ServerAddress): DeliveryReportMailbox {
  return {
    readAfter: async (position, handle) => {
      const client = new ImapFlow({
        ...{ host, port, secure: isSecure, ...(isSecure ? {} : { doSTARTTLS: !allowsPlain }) },
        auth: { user: user ?? '', pass: password ?? '' },
        logger: false,
        ...timeouts,
      })
      // Failures of the connection also reject the call that waits.
      client.on('error', () => {})
      try {
        await client.connect()
        const { uidValidity } = await client.mailboxOpen('INBOX')
        const validity = String(uidValidity)
        let last = position?.uidValidity === validity ? position.uid : 0
        const found = (await client.search({ uid: `${last + 1}:*` }, { uid: true })) || []
        // `n:*` also names the last message if its UID is below n.
        const uids = found.filter(uid => uid > last).sort((a, b) => a - b)
        for (let start = 0; start < uids.length; start += batchSize) {
          const batch = uids.slice(start, start + batchSize)
          const messages: { uid: number; source: string }[] = []
          const query = { uid: true, source: { maxLength: maxMessageBytes } }
          for await (const { uid, source } of client.fetch(batch, query, { uid: true }))
            messages.push({ uid, source: source?.toString('latin1') ?? '' })
          last = batch.at(-1)!
          const handled = await handle({ messages, position: { uidValidity: validity, uid: last } })
          if (handled.length > 0) await client.messageDelete([...handled], { uid: true })
        }
        await client.logout()
      } finally {
        client.close()
      }
    },
  }
}
