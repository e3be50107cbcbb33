/** The end of a chain of redirects. */
export interface Page {
  url: URL
  status: number
  text: string
}

export type Browser = ReturnType<typeof createBrowser>

/** As much of a browser as a sign-in needs: cookies for each origin, redirects and one form. */
export function createBrowser(watchlineUrl: string) {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (origin: string) => {
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    return jar
  }

  async function request(address: URL, init: RequestInit): Promise<Response> {
    const jar = jarOf(address.origin)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(address, {
      redirect: 'manual',
      ...init,
      headers: { cookie, ...(init.headers as Record<string, string>) },
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  /** Follows redirects. `init` is for the first address only. */
  async function open(url: string, init: RequestInit = {}): Promise<Page> {
    let address = new URL(url, watchlineUrl)
    let response = await request(address, init)
    for (let redirects = 0; redirects < 10; redirects += 1) {
      const location = response.headers.get('location')
      if (!location) break
      address = new URL(location, address)
      response = await request(address, {})
    }
    return { url: address, status: response.status, text: await response.text() }
  }

  /** A call of Watchline's API with the anti-forgery header. */
  async function call(method: string, path: string, body?: object) {
    const address = new URL(`/api${path}`, watchlineUrl)
    if (!jarOf(address.origin).has('XSRF-TOKEN')) await request(new URL('/api/auth/options', watchlineUrl), {})
    const token = decodeURIComponent(jarOf(address.origin).get('XSRF-TOKEN') ?? '')
    const response = await request(address, {
      method,
      headers: { 'content-type': 'application/json', 'x-xsrf-token': token },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text ? JSON.parse(text) : undefined }
  }

  /** Fills in and sends the form of a page whose opening tag contains `mark`. */
  async function submitForm({ url, status, text }: Page, mark: string, fields: Record<string, string>): Promise<Page> {
    const form = text.match(/<form[^>]*>.*?<\/form>/gs)?.find(candidate => openingTag(candidate).includes(mark))
    if (!form) throw new Error(`no form with ${mark} at ${url.origin}${url.pathname} (${status})`)
    const hidden = (form.match(/<input[^>]*type="hidden"[^>]*>/g) ?? []).map(
      tag => [attribute(tag, 'name'), attribute(tag, 'value')] as const,
    )
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })
    return open(new URL(attribute(openingTag(form), 'action'), url).href, { method: 'POST', body })
  }

  return { open, call, submitForm }
}

const openingTag = (element: string) => element.slice(0, element.indexOf('>'))

function attribute(tag: string, name: string): string {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&') ?? ''
}
