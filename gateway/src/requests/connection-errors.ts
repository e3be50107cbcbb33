import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorCodes } from '@watchline/contracts/errors'
import { networkOf } from '@watchline/kit/http/network'
import type { SecurityLog } from '@watchline/kit/observability/security-log'

/**
 * For Node's `clientError`: bytes that are not an HTTP request. Answers on the raw socket, then
 * closes the connection. Behind a proxy, the event has the proxy's network: nothing of the request
 * was read.
 */
export function createUnreadableReply(security: SecurityLog) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    if (!isTimeout) security.record({ code: 'malformed', network: networkOf((socket as Socket).remoteAddress ?? '') })
    reply(socket, isTimeout ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400)
  }
}

function reply(socket: Duplex, status: number): void {
  const body = JSON.stringify({ detail: errorCodes.malformed.detail, code: 'malformed', request_id: '' })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
