// An HTTP server that reports its port to its parent process.
import { createHttpServer } from '../src/http/http-server.ts'

const options = { port: 0, host: '127.0.0.1', keepAliveTimeoutMs: 5_000, requestTimeoutMs: 5_000 }
const { port } = await createHttpServer((_req, res) => void res.end(), options).listen()
process.send!(port)
