import { ImapFlow } from 'imapflow'
import type { MailServers } from '../../../../tools/src/provision/mail-servers.ts'
import { forEachConcurrently } from '../../shared/concurrency.ts'

export interface ReceivedMail {
  messageId: string | undefined
  subject: string | undefined
  /** Names one hand-over to Postfix. */
  queueId: string | undefined
}

const connectionsAtOnce = 8

/** Reads the mailboxes over IMAP. */
export async function readMailboxes(
  { imapPort, password }: MailServers,
  names: readonly string[],
): Promise<Map<string, ReceivedMail[]>> {
  const mailboxes = new Map<string, ReceivedMail[]>()
  await forEachConcurrently(names, connectionsAtOnce, async name => {
    const client = new ImapFlow({
      ...{ host: '127.0.0.1', port: imapPort, secure: false, doSTARTTLS: false, logger: false },
      auth: { user: name, pass: password },
    })
    await client.connect()
    try {
      const { exists } = await client.mailboxOpen('INBOX')
      const mails: ReceivedMail[] = []
      if (exists > 0)
        for await (const { envelope, headers } of client.fetch('1:*', { envelope: true, headers: ['received'] }))
          mails.push({
            messageId: envelope?.messageId,
            subject: envelope?.subject,
            queueId: /\bid ([0-9A-Za-z]+)/.exec(headers?.toString() ?? '')?.[1],
          })
      mailboxes.set(name, mails)
    } finally {
      await client.logout()
    }
  })
  return mailboxes
}
