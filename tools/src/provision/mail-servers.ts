import { chmodSync, chownSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { type Guarded, startGuarded } from './guard.ts'
import { run } from './programs.ts'
import { findOrInstall } from './system-packages.ts'
import { type Log, ProvisionError } from './types.ts'
import { until } from './wait.ts'

/** The domain of the mailboxes. */
export const mailDomain = 'watchline.example'

/** Debian's folder. */
const postfixDaemons = '/usr/lib/postfix/sbin'

export interface MailServers {
  smtpPort: number
  imapPort: number
  /** Of every mailbox. */
  password: string
  /** The guard of Postfix, whose descendants are all processes of Postfix. */
  postfixGuard(): Guarded
  /** Starts Postfix again with its queue, after a test has killed it. */
  startPostfix(): Promise<void>
  stop(): Promise<void>
}

export interface MailServersOptions {
  dataDir: string
  /** The names of the mailboxes, the part before the @. The server refuses all others. */
  mailboxes: readonly string[]
  /**
   * The ports of SMTP servers on this machine to which Postfix passes the mails of these domains.
   */
  relays?: Readonly<Record<string, number>>
  log: Log
}

/**
 * Postfix and Dovecot on free ports of the loopback interface, apart from instances of the system.
 * Postfix accepts mails and writes mailboxes; Dovecot shows them over IMAP. Both switch to users of
 * their own, so only root can start them.
 */
export async function provisionMail({
  dataDir,
  mailboxes,
  relays = {},
  log,
}: MailServersOptions): Promise<MailServers> {
  if (process.getuid?.() !== 0) throw new ProvisionError('Postfix and Dovecot need root. Run these tests as root.')
  const folder = resolve(dataDir)
  const [postfix, dovecot] = [
    await findOrInstall('postfix', 'postfix', log),
    await findOrInstall('dovecot', 'dovecot-imapd', log),
  ]
  const [smtpPort, imapPort, password] = [await freePort(), await freePort(), 'password-of-the-tests']
  const mailUser = await findUser('mail')
  for (const name of ['postfix', 'queue', 'data', 'mailboxes', 'dovecot'])
    mkdirSync(join(folder, name), { recursive: true })
  // The users of the servers must reach their folders.
  chmodSync(folder, 0o755)
  chownSync(join(folder, 'data'), ...(await findUser('postfix')))
  chownSync(join(folder, 'mailboxes'), ...mailUser)
  writePostfixFiles(folder, { smtpPort, mailboxes, relays, mailUser })
  writeFileSync(join(folder, 'dovecot.conf'), dovecotConfig(folder, { imapPort, password }))

  // Creates the folders of the queue. The guard starts the daemon itself, because the command would
  // leave it running after SIGTERM.
  const check = await run(postfix, ['-c', join(folder, 'postfix'), 'check'], { limitMs: 60_000 })
  if (!check.ok) throw new ProvisionError(`postfix check failed:\n${check.lastLines}`)
  const launchPostfix = () =>
    startGuarded({
      command: join(postfixDaemons, 'master'),
      args: ['-d', '-c', join(folder, 'postfix')],
      cwd: folder,
      logFile: join(folder, 'postfix.log'),
    })
  let postfixServer = launchPostfix()
  const dovecotServer = startGuarded({
    command: dovecot,
    args: ['-F', '-c', join(folder, 'dovecot.conf')],
    cwd: folder,
    logFile: join(folder, 'dovecot.log'),
  })
  const stop = async () => {
    await Promise.all([postfixServer.stop(), dovecotServer.stop()])
  }
  try {
    await untilGreeted('Postfix', smtpPort, /^220 /, postfixServer)
    await untilGreeted('Dovecot', imapPort, /^\* OK /, dovecotServer)
  } catch (error) {
    await stop()
    throw error
  }
  log(`Postfix on port ${smtpPort}, Dovecot on port ${imapPort}`)
  return {
    ...{ smtpPort, imapPort, password, stop },
    postfixGuard: () => postfixServer,
    startPostfix: async () => {
      postfixServer = launchPostfix()
      await untilGreeted('Postfix', smtpPort, /^220 /, postfixServer)
    },
  }
}

async function findUser(name: string): Promise<[uid: number, gid: number]> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async option => Number((await run('id', [option, name], { limitMs: 5_000 })).stdout)),
  )
  return [uid!, gid!]
}

async function untilGreeted(name: string, port: number, greeting: RegExp, server: Guarded): Promise<void> {
  await until(async () => greeting.test(await readGreeting(port)), {
    condition: `${name} answers on port ${port}`,
    limitMs: 60_000,
    stopReason: () => server.endReason() && `${server.endReason()}\n${server.lastLines()}`,
  })
}

/** Both protocols begin with a line of the server. */
function readGreeting(port: number): Promise<string> {
  return new Promise(answer => {
    const socket = connect(port, '127.0.0.1')
    const end = (text: string) => {
      socket.destroy()
      answer(text)
    }
    socket.setTimeout(2_000, () => end(''))
    socket.once('data', data => end(data.toString()))
    socket.once('error', () => end(''))
    socket.once('close', () => answer(''))
  })
}

interface PostfixSettings {
  smtpPort: number
  mailboxes: readonly string[]
  relays: Readonly<Record<string, number>>
  mailUser: readonly [uid: number, gid: number]
}

function writePostfixFiles(
  folder: string,
  { smtpPort, mailboxes, relays, mailUser: [uid, gid] }: PostfixSettings,
): void {
  const config = join(folder, 'postfix')
  const relayLines = Object.entries(relays).map(([domain, port]) => `${domain} smtp:[127.0.0.1]:${port}`)
  const mailboxLines = mailboxes.map(name => `${name}@${mailDomain} ${name}/`)
  writeFileSync(join(config, 'mailboxes'), `${mailboxLines.join('\n')}\n`)
  writeFileSync(join(config, 'transport'), `${relayLines.join('\n')}\n`)
  writeFileSync(join(config, 'main.cf'), `${mainSettings(folder, Object.keys(relays), uid, gid).join('\n')}\n`)
  writeFileSync(join(config, 'master.cf'), masterServices(smtpPort))
  cpSync('/etc/postfix/dynamicmaps.cf', join(config, 'dynamicmaps.cf'), { force: true })
}

const mainSettings = (folder: string, relayDomains: readonly string[], uid: number, gid: number) => [
  'compatibility_level = 3.6',
  `queue_directory = ${join(folder, 'queue')}`,
  `data_directory = ${join(folder, 'data')}`,
  'command_directory = /usr/sbin',
  `daemon_directory = ${postfixDaemons}`,
  `maillog_file = ${join(folder, 'mail.log')}`,
  `maillog_file_prefixes = ${folder}`,
  `myhostname = mail.${mailDomain}`,
  `myorigin = ${mailDomain}`,
  'mydestination =',
  'mynetworks = 127.0.0.0/8',
  'inet_interfaces = loopback-only',
  'inet_protocols = ipv4',
  'alias_maps =',
  'biff = no',
  // Loopback clients are the tests themselves: no limit of connections or rates.
  'smtpd_client_connection_count_limit = 0',
  `virtual_mailbox_domains = ${mailDomain}`,
  `virtual_mailbox_base = ${join(folder, 'mailboxes')}`,
  `virtual_mailbox_maps = texthash:${join(folder, 'postfix', 'mailboxes')}`,
  'virtual_minimum_uid = 1',
  `virtual_uid_maps = static:${uid}`,
  `virtual_gid_maps = static:${gid}`,
  `relay_domains = ${relayDomains.join(' ')}`,
  `transport_maps = texthash:${join(folder, 'postfix', 'transport')}`,
]

const masterServices = (smtpPort: number) => `
127.0.0.1:${smtpPort} inet n - n - - smtpd
cleanup   unix  n - n - 0 cleanup
qmgr      unix  n - n 300 1 qmgr
rewrite   unix  - - n - - trivial-rewrite
bounce    unix  - - n - 0 bounce
defer     unix  - - n - 0 bounce
trace     unix  - - n - 0 bounce
verify    unix  - - n - 1 verify
flush     unix  n - n 1000? 0 flush
proxymap  unix  - - n - - proxymap
smtp      unix  - - n - - smtp
relay     unix  - - n - - smtp
error     unix  - - n - - error
retry     unix  - - n - - error
virtual   unix  - n n - - virtual
anvil     unix  - - n - 1 anvil
scache    unix  - - n - 1 scache
postlog   unix-dgram n - n - 1 postlogd
`

const dovecotConfig = (folder: string, { imapPort, password }: { imapPort: number; password: string }) => `
base_dir = ${join(folder, 'dovecot')}
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = maildir:${join(folder, 'mailboxes', '%n')}
mail_max_userip_connections = 1000
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${join(folder, 'mailboxes', '%n')}
}
service imap {
  service_count = 200
}
service imap-login {
  chroot =
  service_count = 0
  inet_listener imap {
    port = ${imapPort}
  }
  inet_listener imaps {
    port = 0
  }
}
`
