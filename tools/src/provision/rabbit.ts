import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { dockerAnswers, dockerRun } from './docker.ts'
import { type Guarded, startGuarded } from './guard.ts'
import { findProgram } from './programs.ts'
import { canInstall, install } from './system-packages.ts'
import { ProvisionError, type Provisioned, type ProvisionOptions, type TlsFiles } from './types.ts'
import { exchange, until } from './wait.ts'

export interface RabbitOptions extends ProvisionOptions {
  /**
   * Users, rights and queues that the broker gets at each start, as `rabbitmqctl` exports them. The
   * resulting address then has no user.
   */
  definitions?: object
  /** Starts the management interface on this port. Only for a local program, not in a container. */
  managementPort?: number
}

/** RabbitMQ as a process with its own Erlang port mapper, so that instances are independent. */
export async function provisionRabbit(requested: RabbitOptions): Promise<Provisioned> {
  const options = { ...requested, dataDir: resolve(requested.dataDir) }
  const { dataDir, log } = options
  if (process.env.AMQP_URL && !requested.alwaysStart) return { url: process.env.AMQP_URL, stop: async () => {} }
  mkdirSync(dataDir, { recursive: true })
  const port = await freePort(options.port)
  const server = await start(port, options)
  const greeting = Buffer.from('AMQP\0\0\x09\x01', 'latin1')
  // A frame of type 1 (method) on channel 0 is the broker's Connection.Start.
  await until(async () => (await exchange(port, greeting, options.tls))[0] === 1, {
    condition: `RabbitMQ answers on port ${port}`,
    limitMs: 5 * 60_000,
    everyMs: 200,
    stopReason: () => server.endReason() && `${server.endReason()}\n${server.lastLines()}`,
  }).catch(async error => {
    await server.stop()
    throw error
  })
  log(`RabbitMQ on port ${port}`)
  const user = options.definitions ? '' : 'guest:guest@'
  return {
    url: `${options.tls ? 'amqps' : 'amqp'}://${user}127.0.0.1:${port}`,
    guard: server,
    stop: () => server.stop(),
  }
}

// Debian's command in /usr/sbin switches to the user rabbitmq. The script behind it runs as any
// user.
const candidates = [
  '/usr/lib/rabbitmq/bin/rabbitmq-server',
  'rabbitmq-server',
  '/opt/homebrew/opt/rabbitmq/sbin/rabbitmq-server',
  '/usr/local/opt/rabbitmq/sbin/rabbitmq-server',
]

async function start(port: number, options: RabbitOptions): Promise<Guarded> {
  const { dataDir, definitions, log } = options
  const found = findProgram(...candidates)
  if (found) return startLocal(found, port, options)
  if (await dockerAnswers()) {
    log('RabbitMQ: starting the container image rabbitmq:4')
    const mounts = definitions ? mountDefinitions(dataDir, definitions) : []
    return dockerRun({
      image: 'rabbitmq:4',
      publish: [port, 5672],
      options: mounts,
      logFile: join(dataDir, 'rabbitmq.log'),
    })
  }
  if (await canInstall()) {
    await install('rabbitmq-server', log, ['rabbitmq'])
    const installed = findProgram(...candidates)
    if (installed) return startLocal(installed, port, options)
  }
  throw new ProvisionError(
    'RabbitMQ is missing. Install it (Debian: apt-get install rabbitmq-server; macOS: brew install rabbitmq), start Docker, or set AMQP_URL.',
  )
}

function writeDefinitions(dataDir: string, definitions: object): string {
  const file = join(dataDir, 'definitions.json')
  writeFileSync(file, JSON.stringify(definitions))
  return file
}

function mountDefinitions(dataDir: string, definitions: object): string[] {
  const inside = '/etc/rabbitmq/watchline-definitions.json'
  const config = join(dataDir, 'definitions.conf')
  writeFileSync(config, `load_definitions = ${inside}\n`)
  return [
    ...['--volume', `${writeDefinitions(dataDir, definitions)}:${inside}:ro`],
    ...['--volume', `${config}:/etc/rabbitmq/conf.d/30-watchline.conf:ro`],
  ]
}

// The broker would start a port mapper daemon (epmd) and leave it running. So this script starts
// epmd first and stops it last.
const script = `
epmd=
if [ -n "$EPMD" ]; then
  "$EPMD" -port "$ERL_EPMD_PORT" -address 127.0.0.1 &
  epmd=$!
fi
"$@" &
server=$!
trap 'kill -TERM $server 2>/dev/null' TERM
wait $server
code=$?
while kill -0 $server 2>/dev/null; do
  wait $server
  code=$?
done
[ -z "$epmd" ] || kill $epmd
exit $code
`

// Erlang's schedulers spin for a while before they sleep. That costs processor time that the other
// servers on the same machine need.
const noBusyWaiting = '+sbwt none +sbwtdcpu none +sbwtdio none'

function listenerSettings(port: number, tls: TlsFiles | undefined): string[] {
  if (!tls) return [`listeners.tcp.1 = 127.0.0.1:${port}`]
  return [
    'listeners.tcp = none',
    `listeners.ssl.1 = 127.0.0.1:${port}`,
    `ssl_options.cacertfile = ${tls.caFile}`,
    `ssl_options.certfile = ${tls.certFile}`,
    `ssl_options.keyfile = ${tls.keyFile}`,
    'ssl_options.verify = verify_none',
    'ssl_options.fail_if_no_peer_cert = false',
  ]
}

async function startLocal(
  command: string,
  port: number,
  { dataDir, definitions, managementPort, tls }: RabbitOptions,
): Promise<Guarded> {
  const config = join(dataDir, 'rabbitmq.conf')
  const plugins = join(dataDir, 'enabled_plugins')
  const settings = [...listenerSettings(port, tls), 'log.file.level = warning']
  if (definitions) settings.push(`load_definitions = ${writeDefinitions(dataDir, definitions)}`)
  if (managementPort) settings.push('management.tcp.ip = 127.0.0.1', `management.tcp.port = ${managementPort}`)
  writeFileSync(config, `${settings.join('\n')}\n`)
  writeFileSync(plugins, managementPort ? '[rabbitmq_management].\n' : '[].\n')
  return startGuarded({
    command: '/bin/sh',
    args: ['-c', script, 'rabbitmq', command],
    cwd: dataDir,
    logFile: join(dataDir, 'rabbitmq.log'),
    patienceMs: 30_000,
    env: {
      EPMD: findProgram('epmd', '/usr/lib/erlang/bin/epmd'),
      ERL_EPMD_PORT: String(await freePort()),
      HOME: dataDir,
      RABBITMQ_ADVANCED_CONFIG_FILE: undefined,
      RABBITMQ_CONFIG_FILE: config,
      RABBITMQ_CONF_ENV_FILE: '/dev/null',
      RABBITMQ_DIST_PORT: String(await freePort()),
      RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
      RABBITMQ_LOG_BASE: join(dataDir, 'log'),
      RABBITMQ_MNESIA_BASE: join(dataDir, 'mnesia'),
      RABBITMQ_NODENAME: 'watchline@localhost',
      RABBITMQ_NODE_PORT: undefined,
      RABBITMQ_PID_FILE: join(dataDir, 'rabbitmq.pid'),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `-kernel inet_dist_use_interface {127,0,0,1} ${noBusyWaiting}`,
    },
  })
}
