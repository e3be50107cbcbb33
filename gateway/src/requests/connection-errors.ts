import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorCodes } from '@watchline/contracts/errors'

/**
 * For Node's `clientError`: bytes that are not an HTTP request. Answers on the raw socket, then
 * closes the connection.
 */
export function replyToUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const body = JSON.stringify({ detail: errorCodes.malformed.detail, code: 'malformed', request_id: '' })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
