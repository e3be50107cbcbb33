// A separate program (`node download.ts <address> <file>`, `--probe <address>` or `--mongod <folder>`), so that a
// download can be aborted cleanly, and proxies and the system's certificates apply to it
// alone. Progress goes to stderr.
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const say = (line: string) => process.stderr.write(`${line}\n`)

async function download(address: string, file: string) {
  // fetch refuses credentials in an address; private package indexes have them there
  const url = new URL(address)
  const headers = new Headers()
  if (url.username) {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
    url.username = ''
    url.password = ''
  }
  const stalled = new AbortController()
  const noProgress = setTimeout(() => stalled.abort(new Error('no data for 20 s')), 20_000)
  const response = await fetch(url, { headers, signal: stalled.signal })
  if (!response.ok || !response.body) throw new Error(`${url.host} answered ${response.status}`)
  const total = Number(response.headers.get('content-length')) || undefined
  let received = 0
  let told = 0
  const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      noProgress.refresh()
      received += chunk.length
      const tenth = total ? Math.floor((received / total) * 10) : Math.floor(received / 10_000_000)
      if (tenth > told) {
        told = tenth
        if (received > 1_000_000) say(`  ${megabytes(received)}${total ? ` of ${megabytes(total)}` : ''}`)
      }
      yield chunk
    }
  }
  await pipeline(Readable.fromWeb(response.body), counted, createWriteStream(file))
  clearTimeout(noProgress)
  // where redirects led: links in an index page are relative to it
  process.stdout.write(response.url)
}

async function downloadMongod(folder: string) {
  const { MongoBinary } = await import('mongodb-memory-server-core/lib/util/MongoBinary.js')
  process.stdout.write(await MongoBinary.getPath({ downloadDir: folder }))
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`

try {
  const [first = '', second = ''] = process.argv.slice(2)
  if (first === '--probe') await fetch(second, { method: 'HEAD', signal: AbortSignal.timeout(3_000) })
  else if (first === '--mongod') await downloadMongod(second)
  else await download(first, second)
} catch (error) {
  const { message, cause } = error as Error
  say(cause instanceof Error ? `${message}: ${cause.message}` : message)
  process.exitCode = 1
}
