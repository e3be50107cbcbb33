import type { Page } from 'playwright-core'

/** Calls the API as the person who is signed in on the page, for the preparation of a journey. */
// biome-ignore lint/suspicious/noExplicitAny: a journey looks into answers of every shape
export async function callApi(page: Page, method: string, path: string, body?: unknown): Promise<any> {
  const { origin } = new URL(page.url())
  const cookies = await page.context().cookies(origin)
  const xsrf = cookies.find(cookie => cookie.name === 'XSRF-TOKEN')?.value ?? ''
  const response = await page.request.fetch(`${origin}/api${path}`, {
    method,
    headers: { 'x-xsrf-token': decodeURIComponent(xsrf) },
    ...(body !== undefined && { data: body }),
  })
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`)
  return response.json()
}
