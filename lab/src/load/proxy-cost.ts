import { join } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { endProcess, spawnNode } from '@watchline/testing/processes'
import type { Log } from '../../../tools/src/provision/types.ts'
import { accepts, until } from '../../../tools/src/provision/wait.ts'
import { runClosedLoop } from '../shared/load-generator.ts'
import { readCpuSeconds } from '../shared/meter.ts'
import { startNginx } from '../shared/proxies/nginx.ts'
import { fastifyProxy, stubService } from '../shared/proxies/programs.ts'

/** Seconds of CPU of a proxy for one request. */
export interface ProxyCosts {
  /** The unit that makes machines comparable. */
  nginx: number
  fastify: number
}

const connections = 32

/** Measures nginx and @fastify/http-proxy in front of a bare Node server that answers at once. */
export async function measureProxyCosts(folder: string, seconds: number, log: Log): Promise<ProxyCosts> {
  const service = await startProgram(stubService, {})
  try {
    const fastify = await startProgram(fastifyProxy, { SERVICE_URL: service.url })
    const nginx = await startNginx(service.url, join(folder, 'nginx'), log)
    try {
      return { nginx: await measure(nginx, seconds), fastify: await measure(fastify, seconds) }
    } finally {
      await nginx.stop()
      await fastify.stop()
    }
  } finally {
    await service.stop()
  }
}

async function startProgram(file: string, env: Record<string, string>) {
  const port = await freePort()
  const child = spawnNode([file], ['ignore', 'inherit', 'inherit'], { ...env, PORT: String(port) })
  await until(() => accepts(port), {
    condition: `${file} starts`,
    limitMs: 60_000,
    stopReason: () => (child.exitCode === null ? undefined : `it ended with ${child.exitCode}`),
  })
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => endProcess(child, 'SIGTERM') }
}

async function measure({ url, pid }: { url: string; pid: number }, seconds: number): Promise<number> {
  const nextCall = () => ({ method: 'GET', path: '/', token: 'none' }) as const
  await runClosedLoop(url, nextCall, { connections, seconds: seconds / 4 })
  const before = readCpuSeconds(pid)
  const { calls } = await runClosedLoop(url, nextCall, { connections, seconds })
  return (readCpuSeconds(pid) - before) / calls
}
