import { readFileSync } from 'node:fs'
import { freePort } from '@watchline/kit/core/free-port'
import type { BenchProcess, BenchWorld } from '../bench-world.ts'

export interface InspectedProcess extends BenchProcess {
  name: string
  inspectorPort: number
}

/** Bytes. */
export interface Memory {
  rss: number
  /** JavaScript objects after a full collection, with buffers outside the heap. */
  heap: number
}

/** Starts a service whose memory can be measured. */
export async function startInspectedService(
  world: BenchWorld,
  service: string,
  name: string,
  env: Record<string, string> = {},
): Promise<InspectedProcess> {
  const inspectorPort = await freePort()
  const inspect = { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` }
  return { ...(await world.startService(service, { ...env, ...inspect }, name)), name, inspectorPort }
}

export async function measureMemory(processes: readonly InspectedProcess[]): Promise<Memory[]> {
  const memory: Memory[] = []
  for (const process of processes) {
    // Twice, because objects with finalizers survive the first collection.
    await collectGarbage(process.inspectorPort)
    await new Promise(resolve => setTimeout(resolve, 500))
    await collectGarbage(process.inspectorPort)
    const heapUsed = await readMetric(process, 'nodejs_heap_size_used_bytes')
    const external = await readMetric(process, 'nodejs_external_memory_bytes')
    memory.push({ heap: heapUsed + external, rss: readRss(process.pid) })
  }
  return memory
}

function readRss(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024
}

/** Runs a full garbage collection in another process, through its inspector. */
async function collectGarbage(inspectorPort: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)
  const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[]
  const socket = new WebSocket(target!.webSocketDebuggerUrl)
  await new Promise<void>((resolve, reject) => {
    socket.onerror = () => reject(new Error('the inspector does not answer'))
    socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
    socket.onmessage = () => resolve()
  })
  socket.close()
}

/** NaN if the process does not have the metric. */
export async function readMetric({ url }: BenchProcess, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name}(?:{.*})? (\\S+)$`, 'm').exec(text)?.[1])
}
