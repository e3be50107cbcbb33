import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
import type { signInOptions } from '@watchline/contracts/auth'
import { type ErrorCode, errorCodes } from '@watchline/contracts/errors'
import type { AnyOperation, ResponseOf } from '@watchline/contracts/operation'
import { operations } from '@watchline/contracts/operations'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'

/** One call that reached the fake gateway. */
export interface ReceivedCall {
  name: string
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
  headers: Headers
}

const signInSettings: ResponseOf<typeof signInOptions> = {
  provider: 'Company account',
  development: false,
  setup_token_required: false,
}

type ReplyBody<O extends AnyOperation> = ResponseOf<O> | Response
type Reply<O extends AnyOperation> = ReplyBody<O> | ((call: ReceivedCall) => ReplyBody<O> | Promise<ReplyBody<O>>)

/**
 * The number of the test that sends the call. The last calls of a test may arrive during the next
 * one, which must not fail for them.
 */
const testHeader = 'x-test'

/**
 * The gateway of the contracts. A call without a prepared answer fails the test, and so does an
 * answer that breaks its contract. Every GET sets the anti-forgery cookie; the client fetches the
 * sign-in options where it lacks that cookie. The browser last had an
 * administrator's session, so the client asks for both profiles. Then it asks why the session
 * ended; by default there is no reason.
 */
export function createFakeApi() {
  const server = setupServer(
    http.post('*/api/auth/refresh', () => refusal('no_session')),
    http.get('*/api/auth/options', () => {
      setXsrfCookie('token-of-the-test')
      return HttpResponse.json(signInSettings)
    }),
    http.all('*', ({ request }) => {
      const calledIn = Number(request.headers.get(testHeader) ?? testNumber)
      if (calledIn === testNumber)
        testError ??= new Error(`no answer is prepared for ${request.method} ${new URL(request.url).pathname}`)
      return HttpResponse.error()
    }),
  )
  const received: ReceivedCall[] = []
  let testNumber = 0
  let testError: Error | undefined

  beforeAll(() => {
    server.listen({ onUnhandledFrame: 'error' })
    const { fetch } = globalThis
    globalThis.fetch = (input, init) => {
      const headers = new Headers(init?.headers)
      headers.set(testHeader, String(testNumber))
      return fetch(input, { ...init, headers })
    }
  })
  beforeEach(() => {
    setCookie('watchline_account', 'admin')
    testNumber += 1
    testError = undefined
  })
  afterEach(() => {
    server.resetHandlers()
    received.length = 0
    setXsrfCookie('')
    window.localStorage.clear()
    if (testError) throw testError
  })
  afterAll(() => server.close())

  /** Answers the operation from now on. A Response is passed on unchanged. */
  function answer<O extends AnyOperation>(operation: O, reply: Reply<O>, headers: Record<string, string> = {}) {
    const method = operation.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
    const path = `*/api${operation.path.replace(/\{(\w+)\}/g, ':$1')}`
    server.use(
      http[method](path, async ({ request, params }) => {
        if (belongsToAnotherOperation(operation, request)) return undefined
        const text = await request.clone().text()
        const call: ReceivedCall = {
          name: operation.name,
          params: params as Record<string, string>,
          query: Object.fromEntries(new URL(request.url).searchParams),
          body: text === '' ? undefined : JSON.parse(text),
          headers: request.headers,
        }
        received.push(call)
        if (operation.method === 'GET') setXsrfCookie('token-of-the-test')
        const replyBody = typeof reply === 'function' ? await (reply as (call: ReceivedCall) => unknown)(call) : reply
        if (replyBody instanceof Response) return replyBody.clone()
        const parsedBody = operation.response.safeParse(replyBody)
        if (!parsedBody.success) testError = new Error(`${operation.name}: the test's answer breaks the contract`)
        return HttpResponse.json(replyBody as never, { status: operation.status ?? 200, headers })
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
    /** Answers with a network error. */
    cut: (operation: AnyOperation) => answer(operation, () => HttpResponse.error()),
  }
}

/** The path of another operation, such as /playlists/today, does not match /playlists/{id}. */
function belongsToAnotherOperation(operation: AnyOperation, request: Request): boolean {
  const path = new URL(request.url).pathname.slice('/api'.length)
  return operations.some(
    candidate => candidate !== operation && candidate.method === operation.method && candidate.path === path,
  )
}

/** An error answer in the API's form. */
export function refusal(code: ErrorCode, detail?: string, headers?: Record<string, string>): Response {
  const { status, detail: defaultDetail } = errorCodes[code]
  return HttpResponse.json(
    { detail: detail ?? defaultDetail, code, request_id: 'request-of-the-test' },
    { status, headers },
  )
}

/** Sets the gateway's cookie, because fetch outside a browser ignores Set-Cookie. */
export function setXsrfCookie(value: string): void {
  setCookie('XSRF-TOKEN', value)
}

/** An empty value is no cookie. */
export function setCookie(name: 'XSRF-TOKEN' | 'watchline_account', value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = value ? `${name}=${value}` : `${name}=; max-age=0`
}
