import { randomBytes } from 'node:crypto'
import { cookieNames } from '@watchline/identity/cookies'
import { newId } from '@watchline/kit/mongo/database'
import { type Answer, createBrowser } from '@watchline/testing/browser'
import { eventually } from '@watchline/testing/harness'
import { Agent, type Dispatcher } from 'undici'

/** What must never stand in a log, a span or a metric: made so that it cannot be there by chance. */
export interface Private {
  names: string[]
  emails: string[]
  texts: string[]
  passwords: string[]
  tokens: string[]
}

/** Everybody of a small organisation, and what they do in a day; each step through the gateway, as browsers would. */
export async function startTraffic(url: string) {
  const agent = new Agent({ keepAliveTimeout: 1_000 })
  const wire = watch(agent)
  const mark = randomBytes(4).toString('hex')
  const own = (role: string) => ({ name: `${role} Quux${mark}`, email: `${role.toLowerCase()}.${mark}@people.example` })
  const people = {
    admin: own('Admin'),
    manager: own('Manager'),
    supervisor: own('Supervisor'),
    trainee: own('Trainee'),
  }
  const words = {
    comment: `a comment ${mark}c`,
    chat: `a message ${mark}m`,
    review: `a review ${mark}r`,
    title: `Safety ${mark}t`,
  }
  const passwords = { right: `Right-${mark}-password`, wrong: `Wrong-${mark}-password` }
  const secrets: Private = {
    names: [`Quux${mark}`],
    emails: [`${mark}@people.example`, encodeURIComponent(`${mark}@people.example`)],
    texts: Object.values(words).map(text => text.split(' ').at(-1)!),
    passwords: Object.values(passwords),
    tokens: [],
  }
  const open = () => createBrowser(url, wire.dispatcher)
  const must = (answer: Answer, ...statuses: number[]) => {
    if (!statuses.includes(answer.status)) throw new Error(`${answer.status}: ${JSON.stringify(answer.json)}`)
    return answer
  }
  const anonymous = open()
  const admin = open()
  const supervisor = open()
  const trainee = open()
  const video = {
    provider: 'file',
    id: 'film',
    url: 'https://media.example/film.webm',
    title: `Film ${mark}t`,
    duration: 60,
  }

  /** The first administrator, a wrong and a right password, and the others from a file. */
  async function begin() {
    const { name, email } = people.admin
    must(await admin.call('POST', '/admin/setup', { name, email, password: passwords.right }), 200, 201)
    must(await anonymous.call('POST', '/admin/login', { email, password: passwords.wrong }), 401)
    must(await anonymous.call('POST', '/admin/login', { email: people.trainee.email, password: passwords.wrong }), 401)
    must(await admin.call('POST', '/admin/login', { email, password: passwords.right }), 200)
    const lines = [
      'email,name,role,supervisor_email,manager_email',
      `${people.manager.email},${people.manager.name},manager,,`,
      `${people.supervisor.email},${people.supervisor.name},supervisor,,${people.manager.email}`,
      `${people.trainee.email},${people.trainee.name},user,${people.supervisor.email},`,
    ]
    await bringIn([...lines, `not an address ${mark},${people.trainee.name},user,,`], 'checked')
    await bringIn(lines, 'applied')
    must(await supervisor.signIn(people.supervisor.email), 200)
    must(await trainee.signIn(people.trainee.email), 200)
  }

  async function bringIn(lines: string[], until: 'checked' | 'applied') {
    const created = must(await admin.call('POST', '/admin/imports', { file_name: `${mark}.csv`, parts: 1 }), 201)
    const path = `/admin/imports/${created.json.import.id}`
    must(await admin.call('PUT', `${path}/parts/0`, { text: lines.join('\n') }), 200)
    // `refused` when the file has problems, `checked` or `applied` when it has none.
    const ended = () =>
      eventually(async () => {
        const { json } = must(await admin.call('GET', path), 200)
        if (['checking', 'applying'].includes(json.status)) throw new Error(JSON.stringify(json))
        return json.status
      }, 60_000)
    must(await admin.call('POST', `${path}/check`), 202)
    const checked = await ended()
    if (until === 'checked') return
    must(await admin.call('POST', `${path}/apply`), 202)
    const applied = await ended()
    if (applied !== until) throw new Error(`the import was ${checked}, then ${applied}`)
  }

  /** Sets a task, watches it, comments, and is answered. */
  async function learn() {
    const profile = must(await trainee.call('GET', '/auth/profile'), 200).json
    const playlist = must(
      await supervisor.call('POST', '/playlists', { title: words.title, description: words.title, videos: [video] }),
      201,
    ).json
    // The team is known to playback-session once it has heard of it.
    await eventually(async () =>
      must(await supervisor.call('PUT', `/playlists/${playlist.id}/assign`, { assigned_users: [profile.id] }), 200),
    )
    const where = { playlist_id: playlist.id, video_id: video.id }
    const at = { is_monitoring: true, playlist_id: playlist.id, current_video_id: video.id, current_video_index: 0 }
    await eventually(async () =>
      must(await trainee.call('POST', '/session/monitoring', { ...at, video_progress: 0 }), 200),
    )
    must(await trainee.call('POST', '/session/save-progress', { ...where, video_index: 0, progress: 5 }), 200)
    must(await trainee.call('POST', '/session/heartbeat'), 200)
    const report = { ...where, event_type: 'play', watch_time: 0, event_id: crypto.randomUUID() }
    await eventually(async () => must(await trainee.call('POST', '/engagement/track', report), 200))
    return where
  }

  async function comment(where: { playlist_id: string; video_id: string }, headers: Record<string, string> = {}) {
    const body = { ...where, timestamp: 3, comment: words.comment }
    wire.next = { headers }
    return must(await trainee.call('POST', '/comments', body), 200, 201)
  }

  /** The supervisor finds the comment, and answers it. */
  async function review() {
    const found = await eventually(async () => {
      const { json } = must(await supervisor.call('GET', '/notifications'), 200)
      const waiting = json.notifications.find((each: { is_approved?: boolean | null }) => each.is_approved === null)
      return waiting ?? false
    })
    const answer = { action: 'approve', supervisor_comment: words.review }
    // A list may show a moment earlier what a transaction sees.
    await eventually(async () => must(await supervisor.call('POST', `/notifications/${found.id}/approve`, answer), 200))
    must(await supervisor.call('GET', '/engagement/dashboard'), 200)
    must(await supervisor.call('GET', '/users/online'), 200)
  }

  async function chat() {
    const me = must(await supervisor.call('GET', '/auth/profile'), 200).json
    const body = { recipient_id: me.id, message: words.chat, chat_type: 'user_supervisor' }
    await eventually(async () =>
      must(await trainee.call('POST', '/chat/send', { ...body, client_id: newId() }), 200, 201),
    )
    must(await supervisor.call('GET', '/chat/rooms'), 200)
    must(await supervisor.call('GET', '/chat/unread-count'), 200)
  }

  /** Has the supervisor's live stream open until a hint has come of what is done meanwhile. */
  async function listen(work: () => Promise<void>) {
    const { body } = await agent.request({
      origin: url,
      path: '/api/stream',
      method: 'GET',
      headers: { cookie: `${cookieNames(url).access}=${supervisor.token()}` },
    })
    let heard = ''
    body.on('data', chunk => {
      heard += chunk
    })
    body.on('error', () => {})
    await work()
    await eventually(() => heard.includes('chat'))
    body.destroy()
  }

  /** What is refused: nobody, not allowed, unreadable, invalid, too large, unknown. */
  async function mistakes() {
    const { email } = people.trainee
    must(await anonymous.call('GET', '/auth/profile'), 401)
    must(await trainee.call('GET', `/admin/users?search=${encodeURIComponent(email)}`), 403)
    // May have become a supervisor a moment ago: playback-session asks auth before it says no.
    must(await trainee.call('GET', '/users/online'), 403)
    must(await admin.call('GET', `/admin/users?search=${encodeURIComponent(email)}`), 200)
    wire.next = { body: `{"comment": "${words.comment}` }
    must(await trainee.call('POST', '/comments', {}), 400)
    must(await trainee.call('POST', '/comments', { comment: [words.comment], timestamp: email }), 422)
    must(await trainee.call('POST', '/chat/send', { message: words.chat.repeat(200_000) }), 413)
    must(await trainee.call('GET', `/comments/${encodeURIComponent(email)}/x`), 404, 422)
    must(await anonymous.call('GET', `/auth/callback?code=${mark}code&state=${mark}state`), 302, 303)
    must(await anonymous.call('POST', '/auth/login', { session_id: `${mark}sessionid` }), 401)
  }

  /** While something is away: called until the log says so, whatever is answered. */
  async function untilTold(told: () => boolean) {
    await eventually(async () => {
      await supervisor.call('GET', '/notifications?limit=7').catch(() => {})
      return told()
    }, 60_000)
  }

  async function untilWell() {
    for (const path of ['/notifications?limit=7', '/session/status', '/auth/profile', '/chat/rooms'])
      await eventually(async () => must(await trainee.call('GET', path), 200), 60_000)
  }

  async function leave() {
    must(await trainee.call('POST', '/auth/refresh'), 200)
    must(await trainee.call('POST', '/session/monitoring', { is_monitoring: false }), 200)
    must(await trainee.call('POST', '/auth/logout'), 200)
    must(await admin.call('POST', '/admin/logout'), 200)
  }

  return {
    begin,
    learn,
    comment,
    review,
    chat,
    listen,
    mistakes,
    untilTold,
    untilWell,
    leave,
    admin,
    supervisor,
    trainee,
    /** With all cookies there have been until now. */
    secrets: (): Private => ({
      ...secrets,
      tokens: [...wire.tokens],
    }),
    close: () => agent.destroy(),
  }
}

/** Hears what tokens go over the wire, in cookies and in redirects; and changes the next request, where a test wants what no browser sends. */
function watch(agent: Agent) {
  const tokens = new Set<string>()
  const keep = (values: Iterable<string | undefined>) => {
    for (const value of values) if (value && value.length > 15) tokens.add(decodeURIComponent(value))
  }
  const wire = {
    tokens,
    next: undefined as { headers?: Record<string, string>; body?: string } | undefined,
    dispatcher: {
      request: async (options: Dispatcher.RequestOptions) => {
        const { headers, body = options.body } = wire.next ?? {}
        wire.next = undefined
        const answer = await agent.request({
          ...options,
          body,
          headers: { ...(options.headers as object), ...headers },
        })
        const { location, 'set-cookie': cookies } = answer.headers
        keep([cookies ?? []].flat().map(line => /=([^;]*)/.exec(line)?.[1]))
        keep([...String(location ?? '').matchAll(/(?:session_id|code|state|nonce)=([^&#]+)/g)].map(found => found[1]))
        return answer
      },
    } as Dispatcher,
  }
  return wire
}

export type Traffic = Awaited<ReturnType<typeof startTraffic>>
