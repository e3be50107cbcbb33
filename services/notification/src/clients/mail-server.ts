import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { MailConfig } from '../config.ts'
import type { MailText } from '../rules/compose-mail.ts'
import { findRefusalCause } from '../rules/delivery-report.ts'

export interface OutgoingMail extends MailText {
  /** The same for every attempt, so that receivers can recognise a repetition. */
  id: string
  /** Names the mail in delivery reports. */
  envelopeId: string
  address: string
  /** The value of the Date header: when the mail could first be sent. */
  date: Date
  /** Absent for mails that nobody can unsubscribe from. */
  oneClickUrl?: string
  attachment?: MailAttachment
}

export interface MailAttachment {
  fileName: string
  /** With its character set. */
  mediaType: string
  content: string
}

/**
 * accepted: the server has taken responsibility. refused: it never will. deferred: it may accept a
 * later attempt; `isAboutMail` tells its answer to this mail from a problem of all mails.
 * unanswered: the server may have the mail, but its answer is lost. abandoned: `beforeContent`
 * returned false, or the attempt was aborted before; the server does not have the mail.
 */
export type Delivery =
  | { outcome: 'accepted'; serverReply: string }
  | { outcome: 'refused'; serverReply: string; isAddress: boolean }
  | { outcome: 'deferred'; serverReply: string; isAboutMail: boolean }
  | { outcome: 'unanswered'; serverReply: string }
  | { outcome: 'abandoned' }

export interface DeliveryOptions {
  /**
   * Called when the server waits for the content. Until it resolves to true, the server has nothing
   * that it could accept.
   */
  beforeContent(): Promise<boolean>
  signal?: AbortSignal
}

export interface MailServer {
  /** One attempt on a connection of its own. Never rejects because of the server. */
  deliver(mail: OutgoingMail, options: DeliveryOptions): Promise<Delivery>
}

const timeouts = { connectionTimeout: 15_000, greetingTimeout: 15_000, dnsTimeout: 10_000, socketTimeout: 30_000 }
/** Bounds an attempt with a server that answers each command just in time. */
const attemptMs = 120_000

type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number }

export function createMailServer({ server, sender, deliveryReports }: MailConfig, publicUrl: string): MailServer {
  const { host, port, isSecure, allowsPlain, user, password } = server
  const options = {
    ...{ host, port, secure: isSecure, requireTLS: !isSecure && !allowsPlain, opportunisticTLS: allowsPlain },
    ...{ name: new URL(publicUrl).hostname, ...timeouts },
  }

  async function deliver(mail: OutgoingMail, { beforeContent, signal }: DeliveryOptions): Promise<Delivery> {
    const content = await buildContent(mail)
    const connection = new SMTPConnection(options)
    let isOffered = false
    let isAbandoned = false

    async function* offerContent() {
      if (signal?.aborted || !(await beforeContent())) {
        isAbandoned = true
        // Closes the connection within the content, so that the server discards the mail.
        throw new Error('abandoned')
      }
      isOffered = true
      yield content
    }

    try {
      const serverReply = await new Promise<string>((resolve, reject) => {
        const end = (error: Error) => {
          reject(error)
          connection.close()
        }
        const limit = setTimeout(() => end(new Error('the attempt took too long')), attemptMs)
        const abort = () => {
          if (isOffered) return
          isAbandoned = true
          end(new Error('abandoned'))
        }
        signal?.addEventListener('abort', abort)
        connection.once('end', () => {
          clearTimeout(limit)
          signal?.removeEventListener('abort', abort)
          reject(new Error('the connection was closed'))
        })
        connection.on('error', reject)
        const send = () =>
          connection.send(envelopeOf(mail), Readable.from(offerContent()), (error, info) =>
            error ? end(error) : resolve(info?.response ?? ''),
          )
        connection.connect(error => {
          if (error) end(error)
          else if (user === undefined) send()
          else connection.login({ user, pass: password ?? '' }, loginError => (loginError ? end(loginError) : send()))
        })
        if (signal?.aborted) abort()
      })
      connection.quit()
      return { outcome: 'accepted', serverReply }
    } catch (error) {
      connection.close()
      return isAbandoned ? { outcome: 'abandoned' } : judge(error as SmtpError, isOffered)
    }
  }

  function envelopeOf({ envelopeId, address }: OutgoingMail) {
    // The server asks receivers for a report only if it supports that (RFC 3461). Without a reader,
    // reports of success would only fill the mailbox.
    const notify = deliveryReports ? ['SUCCESS', 'FAILURE'] : ['FAILURE']
    const dsn = { id: envelopeId, return: 'HDRS' as const, notify, orcpt: `rfc822;${address}` }
    return { from: sender.address, to: [address], dsn }
  }

  async function buildContent({ id, address, date, oneClickUrl, attachment, subject, text, html }: OutgoingMail) {
    const composer = new MailComposer({
      from: { name: sender.name, address: sender.address },
      to: { name: '', address },
      ...{ subject, text, html, date },
      messageId: messageIdOf(id, sender.domain),
      headers: {
        'Auto-Submitted': 'auto-generated',
        ...(oneClickUrl && {
          'List-Unsubscribe': `<${oneClickUrl}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
      },
      ...(attachment && {
        attachments: [
          { filename: attachment.fileName, content: attachment.content, contentType: attachment.mediaType },
        ],
      }),
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return composer.compile().build()
  }

  return { deliver }
}

export function messageIdOf(id: string, domain: string): string {
  return `<${id}@${domain}>`
}

/**
 * An answer 5xx about the recipient, or to the content, is final. A general refusal and other
 * answers may change with the settings of the server.
 */
function judge({ code, message, response, responseCode = 0, command }: SmtpError, isOffered: boolean): Delivery {
  const serverReply = response ?? message
  // A connection that breaks within an answer may leave the beginning of an acceptance.
  if (responseCode < 400) {
    if (isOffered) return { outcome: 'unanswered', serverReply }
    // The library refuses addresses that no server could understand.
    if (code === 'EENVELOPE') return { outcome: 'refused', serverReply, isAddress: true }
    return { outcome: 'deferred', serverReply, isAboutMail: false }
  }
  // After 421 the server ends the connection, whatever the mail is.
  const isAboutMail = (command === 'RCPT TO' || command === 'DATA' || isOffered) && responseCode !== 421
  if (responseCode < 500 || !isAboutMail) return { outcome: 'deferred', serverReply, isAboutMail }
  if (command !== 'RCPT TO') return { outcome: 'refused', serverReply, isAddress: false }
  const cause = findRefusalCause(serverReply)
  // Counted as attempts of this mail, so that a server that refuses one person holds up no other.
  if (cause === 'server') return { outcome: 'deferred', serverReply, isAboutMail: true }
  return { outcome: 'refused', serverReply, isAddress: cause === 'address' }
}
