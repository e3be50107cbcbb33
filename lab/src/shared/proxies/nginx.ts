import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { type Guarded, startGuarded } from '../../../../tools/src/provision/guard.ts'
import { findProgram } from '../../../../tools/src/provision/programs.ts'
import { canInstall, install } from '../../../../tools/src/provision/system-packages.ts'
import { type Log, ProvisionError } from '../../../../tools/src/provision/types.ts'
import { accepts, until } from '../../../../tools/src/provision/wait.ts'
import { listProcesses } from '../../shared/processes.ts'

export interface Nginx {
  url: string
  pid: number
  stop(): Promise<void>
}

/**
 * nginx as one process in front of `serviceUrl`, with keep-alive on both sides and without a log.
 * Installs Debian's package if it is missing. `folder` is for its files.
 */
export async function startNginx(serviceUrl: string, folder: string, log: Log): Promise<Nginx> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const configFile = join(folder, 'nginx.conf')
  writeFileSync(configFile, formatConfig(port, new URL(serviceUrl).host, folder))
  const server = startGuarded({
    command: await requireNginx(log),
    args: ['-c', configFile, '-e', join(folder, 'error.log'), '-p', folder],
    cwd: folder,
    logFile: join(folder, 'output.log'),
  })
  await until(() => accepts(port), {
    condition: `nginx answers on port ${port}`,
    limitMs: 60_000,
    stopReason: () => server.endReason() && `${server.endReason()}\n${server.lastLines()}`,
  }).catch(async error => {
    await server.stop()
    throw error
  })
  return { url: `http://127.0.0.1:${port}`, pid: findChild(server), stop: () => server.stop() }
}

function formatConfig(port: number, service: string, folder: string): string {
  const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `  ${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  return `daemon off;
master_process off;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 100000000;
${temporaryPaths}
  upstream service { server ${service}; keepalive 128; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`
}

async function requireNginx(log: Log): Promise<string> {
  const candidates = ['nginx', '/usr/sbin/nginx']
  const found = findProgram(...candidates)
  if (found) return found
  if (await canInstall()) {
    await install('nginx-light', log, ['nginx'])
    const installed = findProgram(...candidates)
    if (installed) return installed
  }
  throw new ProvisionError(
    'nginx is missing. Install it (Debian: apt-get install nginx-light; macOS: brew install nginx).',
  )
}

function findChild(guard: Guarded): number {
  const child = listProcesses().find(({ parentPid, name }) => parentPid === guard.pid && name === 'nginx')
  if (!child) throw new Error(`the guard ${guard.pid} has no nginx`)
  return child.pid
}
