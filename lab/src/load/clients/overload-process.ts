// A process that sends calls over many connections as fast as they are answered.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import { serveParent } from '../child-process.ts'

export interface OverloadCall {
  path: string
  cookie: string
}

/** After this time without an answer a connection is replaced. */
const callLimitMs = 10_000
/** Pause after a rejected call. Otherwise the loop would use the CPU that other processes need. */
const rejectedPauseMs = 20

function createOverload(url: string) {
  let isRunning = false
  let loops: Promise<unknown> = Promise.resolve()
  let answers: Record<string, number> = {}

  async function repeatCalls(calls: readonly OverloadCall[], first: number) {
    let client = new Client(url, { pipelining: 1 })
    for (let index = first; isRunning; index += 1) {
      const { path, cookie } = calls[index % calls.length]!
      const signal = AbortSignal.timeout(callLimitMs)
      const answer = await client.request({ path, method: 'GET', headers: { cookie }, signal }).then(
        async ({ statusCode, body }) => {
          await body.dump({ limit: 10_000_000 })
          return String(statusCode)
        },
        async error => {
          await client.destroy()
          client = new Client(url, { pipelining: 1 })
          return String(error.code ?? error.name)
        },
      )
      answers[answer] = (answers[answer] ?? 0) + 1
      if (answer !== '200') await sleep(rejectedPauseMs)
    }
    await client.destroy()
  }

  return {
    /** Opens the connections evenly over `withinMs`. */
    begin: async (calls: OverloadCall[], connections: number, withinMs = 0) => {
      isRunning = true
      answers = {}
      loops = Promise.all(
        Array.from({ length: connections }, async (_, index) => {
          await sleep((withinMs * index) / connections)
          await repeatCalls(calls, index * 7)
        }),
      )
    },
    /** The number of answers by status. */
    end: async () => {
      isRunning = false
      await loops
      return answers
    },
    close: async () => {
      isRunning = false
      await loops
    },
  }
}

export type Overload = ReturnType<typeof createOverload>

serveParent(createOverload(process.argv[2]!))
