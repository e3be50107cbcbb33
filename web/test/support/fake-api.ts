import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { type ErrorCode, errorCodes } from '@watchline/contracts/errors'
import type { AnyOperation, ResponseOf } from '@watchline/contracts/operation'
import { operations } from '@watchline/contracts/operations'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'

/** One call as it reached the faked gateway. */
export interface Received {
  name: string
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
  headers: Headers
}

type Given<O extends AnyOperation> = ResponseOf<O> | Response
type Reply<O extends AnyOperation> = Given<O> | ((call: Received) => Given<O> | Promise<Given<O>>)

/**
 * The gateway as its contracts describe it: only what a test has said is answered, an answer that breaks its contract
 * fails the test, and a call nobody has foreseen fails too. Every GET hands out the anti-forgery cookie.
 */
export function fakeApi() {
  const server = setupServer()
  const received: Received[] = []
  let broken: unknown

  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
  afterEach(() => {
    server.resetHandlers()
    received.length = 0
    setXsrfCookie('; max-age=0')
    window.localStorage.clear()
    const fault = broken
    broken = undefined
    if (fault) throw fault
  })
  afterAll(() => server.close())

  /** Answers the operation from now on; a Response is passed on as it is. */
  function answer<O extends AnyOperation>(operation: O, reply: Reply<O>, headers: Record<string, string> = {}) {
    const method = operation.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
    const path = `*/api${operation.path.replace(/\{(\w+)\}/g, ':$1')}`
    server.use(
      http[method](path, async ({ request, params }) => {
        if (isAnother(operation, request)) return undefined
        const text = await request.clone().text()
        const call: Received = {
          name: operation.name,
          params: params as Record<string, string>,
          query: Object.fromEntries(new URL(request.url).searchParams),
          body: text === '' ? undefined : JSON.parse(text),
          headers: request.headers,
        }
        received.push(call)
        if (operation.method === 'GET') setXsrfCookie('token-of-the-test')
        const given = typeof reply === 'function' ? await (reply as (call: Received) => unknown)(call) : reply
        if (given instanceof Response) return given.clone()
        const checked = operation.response.safeParse(given)
        if (!checked.success) broken = new Error(`${operation.name}: the test's answer breaks the contract`)
        return HttpResponse.json(given as never, { status: operation.status ?? 200, headers })
      }),
    )
  }

  return {
    answer,
    received,
    /** The calls of one operation. */
    callsOf: (operation: AnyOperation) => received.filter(({ name }) => name === operation.name),
    refuse: (operation: AnyOperation, code: ErrorCode, detail?: string, headers?: Record<string, string>) =>
      answer(operation, () => refusal(code, detail, headers)),
    /** As if the network were gone. */
    cut: (operation: AnyOperation) => answer(operation, () => HttpResponse.error()),
  }
}

/** A path of its own, such as /playlists/today, is not one with `today` for its parameter. */
function isAnother(operation: AnyOperation, request: Request): boolean {
  const path = new URL(request.url).pathname.slice('/api'.length)
  return operations.some(each => each !== operation && each.method === operation.method && each.path === path)
}

/** An error answer in the API's form. */
export function refusal(code: ErrorCode, detail?: string, headers?: Record<string, string>): Response {
  const { status, detail: usual } = errorCodes[code]
  return HttpResponse.json({ detail: detail ?? usual, code, request_id: 'request-of-the-test' }, { status, headers })
}

/** As the gateway would with Set-Cookie, which fetch outside a browser ignores. */
export function setXsrfCookie(value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = `XSRF-TOKEN=${value}`
}
