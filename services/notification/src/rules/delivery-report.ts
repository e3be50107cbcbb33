/** The report of a server about one mail (RFC 3464). */
export interface DeliveryReport {
  /** The ENVID that the mail was sent with. */
  envelopeId: string
  isDelivered: boolean
  /** The enhanced status code, for instance 5.1.1. */
  status: string
  /** The server's reply. */
  explanation: string
}

const deliveredActions = ['delivered', 'relayed', 'expanded']

/**
 * Parses a delivery report; undefined for other mails, for reports without an ENVID, and for
 * reports of a delay, after which another one follows.
 */
export function parseDeliveryReport(source: string): DeliveryReport | undefined {
  const text = source.replace(/\r\n/g, '\n')
  const head = unfold(text.slice(0, text.indexOf('\n\n') + 1))
  if (!/^content-type:\s*multipart\/report\b/im.test(head)) return undefined
  const part = findStatusPart(text)
  if (part === undefined) return undefined
  const fields = readFields(part)
  const envelopeId = fields.get('original-envelope-id')
  const action = fields.get('action')?.toLowerCase()
  if (!envelopeId || !action || !(deliveredActions.includes(action) || action === 'failed')) return undefined
  return {
    envelopeId,
    isDelivered: action !== 'failed',
    status: fields.get('status') ?? '',
    explanation: withoutType(fields.get('diagnostic-code')) ?? fields.get('status') ?? '',
  }
}

/**
 * Whether the code of a final refusal (RFC 3463) is about the address: there is no such mailbox or
 * domain, or the mailbox is disabled. Other codes are about this mail, a full mailbox or the
 * server, and the next mail may arrive.
 */
export function condemnsAddress(status: string): boolean {
  return /^5\.(1\.([0-6]|10)|2\.1|4\.[14])$/.test(status)
}

/**
 * A final refusal of a recipient: of the address, of this mail, or of anything this server sends,
 * for instance because its network is blocked. The latter may end without a change of the mail.
 */
export type RefusalCause = 'address' | 'mail' | 'server'

/**
 * The cause of a reply 5xx to `RCPT TO`. Without an enhanced code, the words of the reply decide.
 * The code 5.0.0 says no more than none (RFC 3463).
 */
export function findRefusalCause(serverReply: string): RefusalCause {
  const [, code, enhancedCode] = /^(\d{3})(?:[ -](5\.\d+\.\d+)\b)?/.exec(serverReply) ?? []
  const status = enhancedCode === '5.0.0' ? undefined : enhancedCode
  if (status !== undefined && condemnsAddress(status)) return 'address'
  if (status !== undefined && /^5\.[126]\./.test(status)) return 'mail'
  const mayNameMailbox = status === undefined && ['550', '551', '553'].includes(code ?? '')
  return mayNameMailbox && meansMailbox(serverReply) ? 'address' : 'server'
}

/** The words of common servers about a mailbox that does not exist, and not about the sender. */
function meansMailbox(serverReply: string): boolean {
  if (/\b(sender|relay|policy|spam|block|blacklist|denylist|reputation|authenticat)/i.test(serverReply)) return false
  const mailbox = '(mailbox|user|recipient|account|address|mailbox name)'
  const missing = "(unknown|not found|not exist|n't exist|unavailable|disabled|inactive|invalid|not allowed|not local)"
  return new RegExp(
    `\\b(no such|unknown|invalid|no) ${mailbox}\\b|\\b${mailbox}\\b.*${missing}|${missing}.*\\b${mailbox}\\b`,
    'i',
  ).test(serverReply)
}

/** The body of the part that programs read. */
function findStatusPart(text: string): string | undefined {
  const header = /\ncontent-type:\s*message\/(?:global-)?delivery-status\b/i.exec(text)
  if (!header) return undefined
  const start = text.indexOf('\n\n', header.index)
  if (start < 0) return undefined
  const end = text.indexOf('\n--', start)
  return text.slice(start + 2, end < 0 ? undefined : end)
}

/** Each mail has one recipient, so the fields of message and recipient do not repeat. */
function readFields(part: string): Map<string, string> {
  const lines = unfold(part).split('\n')
  return new Map(
    lines.flatMap(line => {
      const match = /^([\w-]+):\s*(.*?)\s*$/.exec(line)
      return match ? [[match[1]!.toLowerCase(), match[2]!] as const] : []
    }),
  )
}

const unfold = (text: string) => text.replace(/\n[ \t]+/g, ' ')

/** Values such as `rfc822; person@example.org` name their type first. */
function withoutType(value: string | undefined): string | undefined {
  return value?.replace(/^[\w-]+;\s*/, '') || undefined
}
