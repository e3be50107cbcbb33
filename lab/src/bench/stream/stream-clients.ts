import { type ClientRequest, request } from 'node:http'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { until } from '../../../../tools/src/provision/wait.ts'
import { forEachConcurrently } from '../../shared/concurrency.ts'
import type { BenchProcess, BenchWorld } from '../bench-world.ts'
import type { HintDelays } from './hint-delays.ts'
import { readMetric } from './process-memory.ts'

const openingAtOnce = 50

/**
 * Opens one stream a person, each on its own connection as in browsers. Resolves when all are
 * greeted.
 */
export async function openStreams(
  world: BenchWorld,
  gatewayUrl: string,
  people: readonly PersonSnapshot[],
  delays: HintDelays,
): Promise<ClientRequest[]> {
  const streams: ClientRequest[] = []
  const { hostname, port } = new URL(gatewayUrl)
  await forEachConcurrently(people, openingAtOnce, async person => {
    const headers = { cookie: `watchline_access=${world.signToken(person)}` }
    const stream = request({ hostname, port, path: '/api/stream', headers, agent: false })
    streams.push(stream)
    await new Promise<void>((resolve, reject) => {
      stream.once('error', reject)
      stream.once('response', response => {
        if (response.statusCode !== 200) reject(new Error(`stream not opened: status ${response.statusCode}`))
        response.setEncoding('utf8')
        response.on('error', () => {})
        response.on('data', (text: string) => {
          if (text.includes('"hello"')) resolve()
          if (text.includes('"notifications"')) delays.recordArrival(person.id)
        })
      })
      stream.end()
    })
    stream.on('error', () => {})
  })
  return streams
}

/** Cuts the connections, and waits until the replicas have noticed it. */
export async function cutStreams(streams: readonly ClientRequest[], replicas: readonly BenchProcess[]) {
  for (const stream of streams) stream.destroy()
  await until(async () => (await Promise.all(replicas.map(countOpenStreams))).every(count => count === 0), {
    condition: 'cut streams are closed',
    limitMs: 30_000,
    stopReason: () => undefined,
  })
}

export const countOpenStreams = (process: BenchProcess) => readMetric(process, 'watchline_streams_open')
