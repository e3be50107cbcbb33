import { readFileSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'
import { freePort } from '@watchline/kit/core/free-port'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import { newId } from '@watchline/kit/mongo/database'
import { until } from '../../../tools/src/provision/wait.ts'
import { cpuSecondsIn, quantile } from '../shared/meter.ts'
import { type BenchWorld, forEachOf, type Running } from './bench-world.ts'
import type { Asked } from './writes.ts'

const connections = 2_000
const supervisors = 180
const warmUp = 500
/** Hints to one person each, at random moments. */
const single = { ratePerS: 50, seconds: 10 }
/** Hints to everybody at once. */
const bursts = { times: 10, apartMs: 1_000 }

interface Memory {
  rss: number
  /** What JavaScript holds after a full collection, with buffers outside its heap. */
  heap: number
}

export interface StreamFigures {
  connections: number
  secondsToOpen: number
  hints: { name: string; count: number; missing: number; p50Ms: number; p99Ms: number; maxMs: number; cpuUs: number }[]
  memory: { process: string; streams: number; heapKB: number; rssKB: number }[]
  leftOpenAfterCut: number
}

interface Watched extends Running {
  name: string
  inspector: number
}

/** 2,000 browsers on two replicas behind the gateway: how late a hint is, and what an open stream holds. */
export async function measureStream(world: BenchWorld, { say }: Asked): Promise<StreamFigures> {
  say(`— ${connections} streams through the gateway to two replicas`)
  const people = organisation(world)
  const replicas = [
    await start(world, 'notification', 'notification-1'),
    await start(world, 'notification', 'notification-2'),
  ]
  const gateway = await start(world, 'gateway', 'gateway', {
    NOTIFICATION_URL: replicas.map(each => each.url).join(','),
    RATE_LIMITS: 'false',
  })
  const all = [...replicas, gateway]
  const bus = await createRabbitBus({ url: world.amqpUrl, exchange: world.prefix, consumersOf: () => [] })
  const heard = createEars()
  try {
    const publish = (recipients: readonly string[]) =>
      bus.publish({
        specversion: '1.0',
        id: newId(),
        source: 'bench',
        type: 'notifications.changed',
        subject: recipients[0]!,
        time: new Date().toISOString(),
        data: { recipient_ids: [...recipients] },
      })

    // Code is compiled, pools are filled and caches warm before anything is compared.
    const early = await openAll(world, gateway.url, people.slice(0, warmUp), heard)
    await publish(people.slice(0, warmUp).map(person => person.id))
    await cutAll(early, replicas)
    const before = await memoryOf(all)

    const started = performance.now()
    const open = await openAll(world, gateway.url, people, heard)
    const secondsToOpen = (performance.now() - started) / 1_000

    say('— hints to one person each')
    const one = await measure(all, heard, 'one person', async due => {
      const count = single.ratePerS * single.seconds
      for (let each = 0; each < count; each += 1) {
        const { id } = people[(each * 7) % people.length]!
        due(id)
        publish([id]).catch(() => {})
        await pause((-Math.log(1 - Math.random()) / single.ratePerS) * 1_000)
      }
    })
    say('— hints to everybody at once')
    const ids = people.map(person => person.id)
    const everybody = await measure(all, heard, 'everybody at once', async due => {
      for (let each = 0; each < bursts.times; each += 1) {
        await pause(bursts.apartMs)
        for (const id of ids) due(id)
        publish(ids).catch(() => {})
      }
    })

    say('— memory')
    const after = await memoryOf(all)
    const share = await Promise.all(all.map(openStreams))
    await cutAll(open, replicas)
    const left = await Promise.all(replicas.map(openStreams))
    return {
      connections,
      secondsToOpen,
      hints: [one, everybody],
      memory: all.map(({ name }, index) => ({
        process: name,
        streams: share[index]!,
        heapKB: (after[index]!.heap - before[index]!.heap) / share[index]! / 1_000,
        rssKB: (after[index]!.rss - before[index]!.rss) / share[index]! / 1_000,
      })),
      leftOpenAfterCut: left.reduce((sum, each) => sum + each, 0),
    }
  } finally {
    await bus.close()
  }
}

function organisation(world: BenchWorld): PersonSnapshot[] {
  const leaders = Array.from({ length: supervisors }, () => world.person('supervisor'))
  const rest = connections - leaders.length
  const role = (index: number): Role => (index < 2 ? 'director' : index < 20 ? 'manager' : 'user')
  const others = Array.from({ length: rest }, (_, index) =>
    world.person(role(index), role(index) === 'user' ? { supervisor_id: leaders[index % supervisors]!.id } : {}),
  )
  return [...leaders, ...others]
}

async function start(
  world: BenchWorld,
  service: string,
  name: string,
  env: Record<string, string> = {},
): Promise<Watched> {
  const inspector = await freePort()
  const running = await world.startService(service, { ...env, NODE_OPTIONS: `--inspect=127.0.0.1:${inspector}` }, name)
  return { ...running, name, inspector }
}

/** When each person's next hint was due, and how late those came that were. */
function createEars() {
  const due = new Map<string, number>()
  let late: number[] = []
  return {
    due: (id: string) => void due.set(id, performance.now()),
    heard: (id: string) => {
      const at = due.get(id)
      if (at === undefined) return
      late.push(performance.now() - at)
      due.delete(id)
    },
    waiting: () => due.size,
    take: () => {
      const taken = late.sort((a, b) => a - b)
      late = []
      due.clear()
      return taken
    },
  }
}
type Ears = ReturnType<typeof createEars>

async function measure(
  all: readonly Running[],
  ears: Ears,
  name: string,
  work: (due: (id: string) => void) => Promise<void>,
) {
  ears.take()
  const cpuBefore = cpuSeconds(all)
  let asked = 0
  await work(id => {
    asked += 1
    ears.due(id)
  })
  for (let waited = 0; ears.waiting() > 0 && waited < 50; waited += 1) await pause(100)
  const cpu = cpuSeconds(all) - cpuBefore
  const late = ears.take()
  return {
    name,
    count: late.length,
    missing: asked - late.length,
    p50Ms: quantile(late, 0.5),
    p99Ms: quantile(late, 0.99),
    maxMs: late.at(-1) ?? Number.NaN,
    cpuUs: (cpu * 1e6) / late.length,
  }
}

const cpuSeconds = (all: readonly Running[]) =>
  all.reduce((sum, { pid }) => sum + cpuSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8')), 0)

/** Each a request of its own on a connection of its own, as browsers make them; resolves when all have been greeted. */
async function openAll(world: BenchWorld, url: string, people: readonly PersonSnapshot[], ears: Ears) {
  const open: ClientRequest[] = []
  const { hostname, port } = new URL(url)
  await forEachOf(people, 50, async person => {
    const headers = { cookie: `watchline_access=${world.token(person)}` }
    const req = request({ hostname, port, path: '/api/stream', headers, agent: false })
    open.push(req)
    await new Promise<void>((resolve, reject) => {
      req.once('error', reject)
      req.once('response', res => {
        if (res.statusCode !== 200) reject(new Error(`a stream was answered with ${res.statusCode}`))
        res.setEncoding('utf8')
        res.on('error', () => {})
        res.on('data', (text: string) => {
          if (text.includes('"hello"')) resolve()
          if (text.includes('"notifications"')) ears.heard(person.id)
        })
      })
      req.end()
    })
    req.on('error', () => {})
  })
  return open
}

async function cutAll(open: readonly ClientRequest[], replicas: readonly Watched[]) {
  for (const req of open) req.destroy()
  await until(async () => (await Promise.all(replicas.map(openStreams))).every(count => count === 0), {
    condition: 'streams that were cut are still open',
    limitMs: 30_000,
    stopReason: () => undefined,
  })
}

async function metric({ url }: Running, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name}(?:{.*})? (\\S+)$`, 'm').exec(text)?.[1])
}
const openStreams = (running: Running) => metric(running, 'watchline_streams_open')

async function memoryOf(all: readonly Watched[]): Promise<Memory[]> {
  const read: Memory[] = []
  for (const each of all) {
    // Twice: what the first finds dead may have finalizers.
    await collect(each.inspector)
    await pause(500)
    await collect(each.inspector)
    const heap =
      (await metric(each, 'nodejs_heap_size_used_bytes')) + (await metric(each, 'nodejs_external_memory_bytes'))
    const rss = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${each.pid}/status`, 'utf8'))?.[1]) * 1_024
    read.push({ heap, rss })
  }
  return read
}

/** A full garbage collection in another process, by its inspector. */
async function collect(port: number): Promise<void> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(target!.webSocketDebuggerUrl)
  await new Promise<void>((resolve, reject) => {
    socket.onerror = () => reject(new Error('the inspector does not answer'))
    socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
    socket.onmessage = () => resolve()
  })
  socket.close()
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

export function streamTables({ hints, memory, ...figures }: StreamFigures): string {
  const number = (value: number) => value.toFixed(1)
  return [
    `${figures.connections} streams, opened in ${number(figures.secondsToOpen)} s`,
    '',
    '| hint to | hints | missing | p50 ms | p99 ms | max ms | CPU µs a hint |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...hints.map(
      each =>
        `| ${each.name} | ${each.count} | ${each.missing} | ${number(each.p50Ms)} | ${number(each.p99Ms)} | ${number(each.maxMs)} | ${number(each.cpuUs)} |`,
    ),
    '',
    '| process | streams | heap kB a stream | RSS kB a stream |',
    '| --- | ---: | ---: | ---: |',
    ...memory.map(each => `| ${each.process} | ${each.streams} | ${number(each.heapKB)} | ${number(each.rssKB)} |`),
  ].join('\n')
}
