import { randomUUID } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import { eventually } from '@watchline/testing/harness'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { MailConfig } from '../src/config.ts'
import { type NotificationWorld, startNotifications } from './_util.ts'

export interface ReceivedMail {
  address: string
  /** The whole text, headers included, as it came over the connection. */
  content: string
  header(name: string): string | undefined
}

/** The server's answer to one mail; undefined accepts it. */
export interface MailFault {
  /** The answer to the recipient: refuses the address. */
  toRecipient?: string
  /** The answer after the content. */
  toContent?: string
  /** Accepts the mail, and cuts the connection instead of answering. */
  cutsAfterContent?: boolean
  /** Accepts the mail, and cuts the connection within the answer that says so. */
  cutsWithinAnswer?: boolean
  /** Keeps silent after the content until `release`. */
  isSilent?: boolean
  /** Keeps silent after the recipient until `release`. */
  isSlow?: boolean
}

export interface TestMailServer {
  config: MailConfig
  received: ReceivedMail[]
  /** Decides by the address of the recipient, before each attempt. */
  faults: Map<string, MailFault>
  /** Refuses all connections while it is set, as a server that shuts down. */
  isDown: boolean
  /** The number of connections so far. */
  connections(): number
  /** The number of attempts that named a recipient. */
  attempts(address: string): number
  /** The most connections that were open at the same time. */
  mostConnections(): number
  /** Lets the silent attempts go on. */
  release(): void
  close(): Promise<void>
}

/** A real SMTP server that loses, refuses and delays as a test demands. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const received: ReceivedMail[] = []
  const faults = new Map<string, MailFault>()
  const attempts = new Map<string, number>()
  const silent: (() => void)[] = []
  let open = 0
  let connections = 0
  let most = 0
  const control = { isDown: false }
  const faultOf = (address: string) => faults.get(address) ?? {}
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onConnect: (_session, callback) => {
      open += 1
      connections += 1
      most = Math.max(most, open)
      callback(control.isDown ? refusal('421 4.3.2 shutting down') : null)
    },
    onClose: () => {
      open -= 1
    },
    onRcptTo: ({ address }, _session, callback) => {
      attempts.set(address, (attempts.get(address) ?? 0) + 1)
      const { toRecipient, isSlow } = faultOf(address)
      if (isSlow) silent.push(() => callback(null))
      else callback(toRecipient ? refusal(toRecipient) : null)
    },
    onData: (stream, session, callback) => {
      const { address } = session.envelope.rcptTo[0]!
      const { toContent, cutsAfterContent, cutsWithinAnswer, isSilent } = faultOf(address)
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (toContent) {
          callback(refusal(toContent))
          return
        }
        received.push(parseMail(address, Buffer.concat(chunks).toString()))
        if (cutsAfterContent) cutConnection(server, session.id)
        else if (cutsWithinAnswer) cutConnection(server, session.id, '250 2.0')
        else if (isSilent) silent.push(() => callback(null, 'accepted'))
        else callback(null, 'accepted')
      })
    },
    logger: false,
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return Object.assign(control, {
    config: mailConfig(port),
    received,
    faults,
    connections: () => connections,
    attempts: (address: string) => attempts.get(address) ?? 0,
    mostConnections: () => most,
    release: () => {
      for (const goOn of silent.splice(0)) goOn()
    },
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  })
}

export function mailConfig(port: number): MailConfig {
  return {
    server: { host: '127.0.0.1', port, isSecure: false, allowsPlain: true, user: undefined, password: undefined },
    sender: { name: 'Watchline', address: 'watchline@watchline.example', domain: 'watchline.example' },
    allowsUnverified: false,
    deliveryReports: undefined,
    deliveryReportWaitMs: 30 * 60_000,
    maxPerMinute: undefined,
  }
}

/** `lastWords` are sent before. */
function cutConnection(server: SMTPServer, id: string, lastWords = ''): void {
  const { connections } = server as unknown as { connections: Set<{ id: string; _socket: Socket }> }
  for (const connection of connections) if (connection.id === id) connection._socket.end(lastWords)
}

function refusal(answer: string): Error {
  const [code, ...words] = answer.split(' ')
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) })
}

function parseMail(address: string, content: string): ReceivedMail {
  const [head = ''] = content.split('\r\n\r\n')
  const headers = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return {
    address,
    content,
    header: name => {
      const found = headers.find(line => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
      return found?.slice(name.length + 1).trim()
    },
  }
}

/** The text of a mail whose parts are encoded for seven bits. */
export function decodeQuotedPrintable(content: string): string {
  const bytes = content
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

export const newAddress = () => `${randomUUID().slice(0, 8)}@mail.example`

/** Starts the notification service with a mail server that the tests control. */
export async function startMailWorld() {
  const server = await startMailServer()
  const world = await startNotifications({ mail: server.config })
  return {
    server,
    world,
    stop: async () => {
      server.release()
      await world.stop()
      await server.close()
    },
  }
}

const longestPauseMs = 60_000

/**
 * As `eventually`. On a slow machine an owner may miss the limit of a call. The process then pauses
 * by the clock, which stands still in tests. So this moves the clock until the pause is over.
 */
export const eventuallyIn = <T>(world: NotificationWorld, check: () => Promise<T> | T): Promise<T> =>
  eventually(async () => {
    const { clock } = world
    const count = (filter: object) => world.collection('mails').countDocuments(filter)
    const afterProblem = {
      ...{ state: 'waiting', explanation: null, next_at: { $gt: new Date(clock.now() - longestPauseMs) } },
      // A mail that waits for its first moment, or for the end of quiet times, has had no problem.
      $expr: { $gt: ['$next_at', { $max: ['$created_at', '$held_until'] }] },
    }
    // An attempt under way would lose its claim.
    const claimed = { state: 'sending', next_at: { $gt: new Date(clock.now()) } }
    if ((await count(afterProblem)) > 0 && (await count(claimed)) === 0) clock.advance(1_000)
    return check()
  })
