import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { openRecoveringConnection } from '../src/messaging/rabbitmq/connection.ts'

/** A method frame of AMQP 0-9-1 on channel 0. */
function makeFrame(methodId: number, fields: Buffer): Buffer {
  const payload = Buffer.concat([Buffer.from([0, 10, 0, methodId]), fields])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(payload.length)
  return Buffer.concat([Buffer.from([1, 0, 0]), size, payload, Buffer.from([0xce])])
}

function makeLongText(text: string): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(text.length)
  return Buffer.concat([size, Buffer.from(text)])
}

const methods = { start: 10, startOk: 11, tune: 30, open: 40, openOk: 41, close: 50 }
const start = makeFrame(
  methods.start,
  Buffer.concat([Buffer.from([0, 9, 0, 0, 0, 0]), makeLongText('PLAIN'), makeLongText('en_US')]),
)
const tune = makeFrame(methods.tune, Buffer.from([0, 0, 0, 2, 0, 0, 0, 1]))
const openOk = makeFrame(methods.openOk, Buffer.from([0]))

test('an attempt that is under way when the connection is closed ends without an error', async () => {
  const opening = Promise.withResolvers<Socket>()
  const server = createServer()
  server.once('connection', refused => {
    refused.destroy()
    server.on('connection', socket => {
      socket.on('error', () => {})
      socket.on('data', data => {
        const method = data.at(10)
        if (data.toString('latin1', 0, 4) === 'AMQP') socket.write(start)
        else if (method === methods.startOk) socket.write(tune)
        else if (data.includes(Buffer.from([0, 10, 0, methods.open]))) opening.resolve(socket)
        else if (method === methods.close) socket.end()
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connection = await openRecoveringConnection({
    ...{ url: `amqp://guest:guest@127.0.0.1:${port}`, name: 'test', log: undefined, setup: async () => {} },
  })
  expect(connection.away()).toBeDefined()
  const socket = await opening.promise
  await connection.close()
  const closed = once(socket, 'close')
  socket.write(openOk)
  await closed
  server.close()
})
