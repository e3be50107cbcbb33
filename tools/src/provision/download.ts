// `node download.ts <address> <file> | --probe <address> | --mongod <folder>`
// A separate program, so that a download can be aborted cleanly and proxies and the system's
// certificates apply to it alone. Progress goes to stderr.
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const printLine = (line: string) => process.stderr.write(`${line}\n`)

async function download(address: string, file: string) {
  // Private package indexes have credentials in their addresses, and fetch refuses them there.
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
  let reportedTenths = 0
  const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      noProgress.refresh()
      received += chunk.length
      const tenths = total ? Math.floor((received / total) * 10) : Math.floor(received / 10_000_000)
      if (tenths > reportedTenths) {
        reportedTenths = tenths
        if (received > 1_000_000) printLine(`  ${megabytes(received)}${total ? ` of ${megabytes(total)}` : ''}`)
      }
      yield chunk
    }
  }
  await pipeline(Readable.fromWeb(response.body), counted, createWriteStream(file))
  clearTimeout(noProgress)
  // The address after redirects, because links in an index page are relative to it.
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
  printLine(cause instanceof Error ? `${message}: ${cause.message}` : message)
  process.exitCode = 1
}
