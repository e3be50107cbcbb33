/* The service behind every proxy: reads the request, and answers it with the same few bytes. */
import { createServer } from 'node:http'

const { PORT } = process.env as Record<string, string>
const body = JSON.stringify({ success: true, unread_count: 3 })

createServer((req, res) => {
  req.resume()
  req.once('end', () => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    res.end(body)
  })
}).listen(Number(PORT), '127.0.0.1')
