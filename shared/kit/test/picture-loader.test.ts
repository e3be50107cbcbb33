import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { createPictureLoader } from '../src/http/picture-loader.ts'

const png = Buffer.from('89504e470d0a1a0a', 'hex')
let server: Server
let origin: string
let requests: string[]
let heldAnswers: (() => void)[]
let respond: (path: string, response: ServerResponse) => void

beforeEach(async () => {
  requests = []
  heldAnswers = []
  respond = (_path, response) => sendPicture(response)
  server = createServer((request, response) => {
    requests.push(request.url!)
    respond(request.url!, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

function sendPicture(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'image/png' })
  response.end(png)
}

// A slow machine must not decide which pictures come too late.
const noTimeLimits = { timeoutMs: 600_000, maxWaitMs: 600_000 }

function makeLoader(timeLimits: { timeoutMs?: number; maxWaitMs?: number } = {}) {
  const options = { isAllowed: () => true, allowsHttp: true, ...noTimeLimits, ...timeLimits }
  return createPictureLoader({ now: () => 1_000_000 }, options)
}

describe('many pictures at once', () => {
  test('are all loaded, at most 20 at a time', async () => {
    let runningCount = 0
    let mostRunning = 0
    respond = (_path, response) => {
      runningCount += 1
      mostRunning = Math.max(mostRunning, runningCount)
      response.once('finish', () => {
        runningCount -= 1
      })
      if (requests.length > 20) return sendPicture(response)
      heldAnswers.push(() => sendPicture(response))
      if (heldAnswers.length === 20) for (const answer of heldAnswers) answer()
    }
    const loader = makeLoader()
    const pictures = await Promise.all(Array.from({ length: 60 }, (_, index) => loader.load(`${origin}/${index}.png`)))
    expect(pictures.map(picture => picture?.bytes.length)).toEqual(Array(60).fill(png.length))
    expect(requests).toHaveLength(60)
    expect(mostRunning).toBe(20)
  })

  test('of one address are loaded once', async () => {
    const loader = makeLoader()
    const pictures = await Promise.all(Array.from({ length: 60 }, () => loader.load(`${origin}/same.png`)))
    expect(pictures.every(picture => picture?.type === 'image/png')).toBe(true)
    expect(requests).toHaveLength(1)
  })

  test('beyond the longest queue get no picture at once', async () => {
    respond = (_path, response) => void heldAnswers.push(() => sendPicture(response))
    const loader = makeLoader()
    const accepted = Array.from({ length: 520 }, (_, index) => loader.load(`${origin}/${index}.png`))
    expect(await loader.load(`${origin}/refused.png`)).toBeUndefined()
    respond = (_path, response) => sendPicture(response)
    const answerHeld = () => {
      for (const answer of heldAnswers.splice(0)) answer()
    }
    const timer = setInterval(answerHeld, 5)
    expect((await Promise.all(accepted)).filter(Boolean)).toHaveLength(520)
    clearInterval(timer)
    expect((await loader.load(`${origin}/refused.png`))?.type).toBe('image/png')
  })
})

describe('a picture that cannot be loaded', () => {
  test('because its server does not answer in time is given up', async () => {
    respond = () => {}
    expect(await makeLoader({ timeoutMs: 50 }).load(`${origin}/a.png`)).toBeUndefined()
  })

  test('because it waits too long behind others is given up, and these are loaded', async () => {
    respond = (_path, response) => void heldAnswers.push(() => sendPicture(response))
    const loader = makeLoader({ maxWaitMs: 50 })
    const loads = Array.from({ length: 20 }, (_, index) => loader.load(`${origin}/${index}.png`))
    expect(await loader.load(`${origin}/late.png`)).toBeUndefined()
    await eventually(() => expect(heldAnswers).toHaveLength(20))
    for (const answer of heldAnswers) answer()
    expect((await Promise.all(loads)).every(picture => picture?.type === 'image/png')).toBe(true)
    expect(requests).not.toContain('/late.png')
  })

  test.each([429, 500, 503])('because of status %d is tried again by the next call', async status => {
    respond = (_path, response) => {
      if (requests.length > 1) return sendPicture(response)
      response.writeHead(status)
      response.end()
    }
    const loader = makeLoader()
    expect(await loader.load(`${origin}/a.png`)).toBeUndefined()
    expect((await loader.load(`${origin}/a.png`))?.type).toBe('image/png')
  })

  test('because of a lost connection is tried again by the next call', async () => {
    respond = (_path, response) => {
      if (requests.length > 1) sendPicture(response)
      else response.destroy()
    }
    const loader = makeLoader()
    expect(await loader.load(`${origin}/a.png`)).toBeUndefined()
    expect((await loader.load(`${origin}/a.png`))?.type).toBe('image/png')
  })

  test.each([404, 410])('because of status %d is not asked for again', async status => {
    respond = (_path, response) => {
      response.writeHead(status)
      response.end()
    }
    const loader = makeLoader()
    for (let time = 0; time < 2; time += 1) expect(await loader.load(`${origin}/a.png`)).toBeUndefined()
    expect(requests).toHaveLength(1)
  })
})
