import { randomBytes } from 'node:crypto'
import { cookieNames } from '@watchline/identity/cookies'
import { newId } from '@watchline/kit/mongo/database'
import { type Answer, createBrowser } from '@watchline/testing/browser'
import { eventually } from '@watchline/testing/harness'
import { Agent, type Dispatcher } from 'undici'

/**
 * Values that must never appear in a log, span or metric. They are random, so none appears by
 * chance.
 */
export interface PrivateData {
  names: string[]
  emails: string[]
  texts: string[]
  passwords: string[]
  tokens: string[]
}

/** A small organisation and its daily work, as browsers' calls through the gateway. */
export async function startTraffic(url: string) {
  const agent = new Agent({ keepAliveTimeout: 1_000 })
  const recorder = recordTokens(agent)
  const mark = randomBytes(4).toString('hex')
  const personOf = (role: string) => ({
    name: `${role} Quux${mark}`,
    email: `${role.toLowerCase()}.${mark}@people.example`,
  })
  const people = {
    admin: personOf('Admin'),
    manager: personOf('Manager'),
    supervisor: personOf('Supervisor'),
    trainee: personOf('Trainee'),
  }
  const words = {
    comment: `a comment ${mark}c`,
    chat: `a message ${mark}m`,
    review: `a review ${mark}r`,
    title: `Safety ${mark}t`,
  }
  const passwords = { right: `Right-${mark}-password`, wrong: `Wrong-${mark}-password` }
  const secrets: PrivateData = {
    names: [`Quux${mark}`],
    emails: [`${mark}@people.example`, encodeURIComponent(`${mark}@people.example`)],
    texts: Object.values(words).map(text => text.split(' ').at(-1)!),
    passwords: Object.values(passwords),
    tokens: [],
  }
  const open = () => createBrowser(url, recorder.dispatcher)
  const expectStatus = (answer: Answer, ...statuses: number[]) => {
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

  /**
   * Sets up the administrator, tries a wrong and a right password, and imports the other people.
   */
  async function begin() {
    const { name, email } = people.admin
    expectStatus(await admin.call('POST', '/admin/setup', { name, email, password: passwords.right }), 200, 201)
    expectStatus(await anonymous.call('POST', '/admin/login', { email, password: passwords.wrong }), 401)
    expectStatus(
      await anonymous.call('POST', '/admin/login', { email: people.trainee.email, password: passwords.wrong }),
      401,
    )
    await signInAdmin()
    const lines = [
      'email,name,role,supervisor_email,manager_email',
      `${people.manager.email},${people.manager.name},manager,,`,
      `${people.supervisor.email},${people.supervisor.name},supervisor,,${people.manager.email}`,
      `${people.trainee.email},${people.trainee.name},user,${people.supervisor.email},`,
    ]
    await runImport([...lines, `not an address ${mark},${people.trainee.name},user,,`], 'checked')
    await runImport(lines, 'applied')
    await signInPeople()
  }

  async function signInAdmin() {
    const { email } = people.admin
    expectStatus(await admin.call('POST', '/admin/login', { email, password: passwords.right }), 200)
  }

  async function signInPeople() {
    expectStatus(await supervisor.signIn(people.supervisor.email), 200)
    expectStatus(await trainee.signIn(people.trainee.email), 200)
  }

  async function runImport(lines: string[], until: 'checked' | 'applied') {
    const created = expectStatus(
      await admin.call('POST', '/admin/imports', { file_name: `${mark}.csv`, parts: 1 }),
      201,
    )
    const path = `/admin/imports/${created.json.import.id}`
    expectStatus(await admin.call('PUT', `${path}/parts/0`, { text: lines.join('\n') }), 200)
    // The state is `refused` if the file has problems, otherwise `checked` or `applied`.
    const finalStatus = () =>
      eventually(async () => {
        const { json } = expectStatus(await admin.call('GET', path), 200)
        if (['checking', 'applying'].includes(json.status)) throw new Error(JSON.stringify(json))
        return json.status
      })
    expectStatus(await admin.call('POST', `${path}/check`), 202)
    const checked = await finalStatus()
    if (until === 'checked') return
    expectStatus(await admin.call('POST', `${path}/apply`), 202)
    const applied = await finalStatus()
    if (applied !== until) throw new Error(`the import was ${checked}, then ${applied}`)
  }

  /** The supervisor assigns a playlist, and the trainee watches it. */
  async function learn() {
    const profile = expectStatus(await trainee.call('GET', '/auth/profile'), 200).json
    const playlist = expectStatus(
      await supervisor.call('POST', '/playlists', { title: words.title, description: words.title, videos: [video] }),
      201,
    ).json
    // Playback-session knows the team once it has consumed the event.
    await eventually(async () =>
      expectStatus(
        await supervisor.call('PUT', `/playlists/${playlist.id}/assign`, { assigned_users: [profile.id] }),
        200,
      ),
    )
    const where = { playlist_id: playlist.id, video_id: video.id }
    const at = { is_monitoring: true, playlist_id: playlist.id, current_video_id: video.id, current_video_index: 0 }
    await eventually(async () =>
      expectStatus(await trainee.call('POST', '/session/monitoring', { ...at, video_progress: 0 }), 200),
    )
    expectStatus(await trainee.call('POST', '/session/save-progress', { ...where, video_index: 0, progress: 5 }), 200)
    expectStatus(await trainee.call('POST', '/session/heartbeat'), 200)
    const report = { ...where, event_type: 'play', watch_time: 0, event_id: crypto.randomUUID() }
    await eventually(async () => expectStatus(await trainee.call('POST', '/engagement/track', report), 200))
    return where
  }

  async function comment(where: { playlist_id: string; video_id: string }, headers: Record<string, string> = {}) {
    const body = { ...where, timestamp: 3, comment: words.comment }
    recorder.next = { headers }
    return expectStatus(await trainee.call('POST', '/comments', body), 200, 201)
  }

  /** The supervisor finds the comment and approves it. */
  async function review() {
    const notification = await eventually(async () => {
      const { json } = expectStatus(await supervisor.call('GET', '/notifications'), 200)
      const pending = json.notifications.find(
        (notification: { is_approved?: boolean | null }) => notification.is_approved === null,
      )
      return pending ?? false
    })
    const answer = { action: 'approve', supervisor_comment: words.review }
    // The list may show the notification a moment before a transaction sees it.
    await eventually(async () =>
      expectStatus(await supervisor.call('POST', `/notifications/${notification.id}/approve`, answer), 200),
    )
    expectStatus(await supervisor.call('GET', '/engagement/dashboard'), 200)
    expectStatus(await supervisor.call('GET', '/users/online'), 200)
  }

  async function chat() {
    const profile = expectStatus(await supervisor.call('GET', '/auth/profile'), 200).json
    const body = { recipient_id: profile.id, message: words.chat, chat_type: 'user_supervisor' }
    await eventually(async () =>
      expectStatus(await trainee.call('POST', '/chat/send', { ...body, client_id: newId() }), 200, 201),
    )
    expectStatus(await supervisor.call('GET', '/chat/rooms'), 200)
    expectStatus(await supervisor.call('GET', '/chat/unread-count'), 200)
  }

  /** Keeps the supervisor's live stream open during the work, and waits for a hint. */
  async function listen(work: () => Promise<void>) {
    const { body } = await agent.request({
      origin: url,
      path: '/api/stream',
      method: 'GET',
      headers: { cookie: `${cookieNames(url).access}=${supervisor.token()}` },
    })
    let received = ''
    body.on('data', chunk => {
      received += chunk
    })
    body.on('error', () => {})
    await work()
    await eventually(() => received.includes('chat'))
    body.destroy()
  }

  /** Refused calls: anonymous, forbidden, malformed, invalid, too large, unknown. */
  async function mistakes() {
    const { email } = people.trainee
    expectStatus(await anonymous.call('GET', '/auth/profile'), 401)
    expectStatus(await trainee.call('GET', `/admin/users?search=${encodeURIComponent(email)}`), 403)
    // The role may be new, so playback-session calls auth before it refuses.
    expectStatus(await trainee.call('GET', '/users/online'), 403)
    expectStatus(await admin.call('GET', `/admin/users?search=${encodeURIComponent(email)}`), 200)
    recorder.next = { body: `{"comment": "${words.comment}` }
    expectStatus(await trainee.call('POST', '/comments', {}), 400)
    expectStatus(await trainee.call('POST', '/comments', { comment: [words.comment], timestamp: email }), 422)
    expectStatus(await trainee.call('POST', '/chat/send', { message: words.chat.repeat(200_000) }), 413)
    expectStatus(await trainee.call('GET', `/comments/${encodeURIComponent(email)}/x`), 404, 422)
    expectStatus(await anonymous.call('GET', `/auth/callback?code=${mark}code&state=${mark}state`), 302, 303)
    expectStatus(await anonymous.call('POST', '/auth/login', { session_id: `${mark}sessionid` }), 401)
  }

  /** Repeats a call until the condition is true, whatever its answers are. */
  async function callUntil(condition: () => boolean) {
    await eventually(async () => {
      await supervisor.call('GET', '/notifications?limit=7').catch(() => {})
      return condition()
    })
  }

  async function waitUntilWell() {
    for (const path of ['/notifications?limit=7', '/session/status', '/auth/profile', '/chat/rooms'])
      await eventually(async () => expectStatus(await trainee.call('GET', path), 200))
  }

  async function leave() {
    expectStatus(await trainee.call('POST', '/auth/refresh'), 200)
    expectStatus(await trainee.call('POST', '/session/monitoring', { is_monitoring: false }), 200)
    expectStatus(await trainee.call('POST', '/auth/logout'), 200)
    expectStatus(await admin.call('POST', '/admin/logout'), 200)
  }

  return {
    begin,
    signInAdmin,
    signInPeople,
    learn,
    comment,
    review,
    chat,
    listen,
    mistakes,
    callUntil,
    waitUntilWell,
    leave,
    admin,
    /** Erases a person, whose address confirms it. */
    erase: (id: string, confirm_email: string) =>
      admin.call('POST', `/admin/users/${id}/erase`, { confirm_email, password: passwords.right }),
    supervisor,
    trainee,
    /** All private data, with all tokens until now. */
    secrets: (): PrivateData => ({
      ...secrets,
      tokens: [...recorder.tokens],
    }),
    close: () => agent.destroy(),
  }
}

/**
 * Records all tokens in cookies and redirects. `next` replaces parts of the next request, for
 * requests that no browser sends.
 */
function recordTokens(agent: Agent) {
  const tokens = new Set<string>()
  const addTokens = (values: Iterable<string | undefined>) => {
    for (const value of values) if (value && value.length > 15) tokens.add(decodeURIComponent(value))
  }
  const recorder = {
    tokens,
    next: undefined as { headers?: Record<string, string>; body?: string } | undefined,
    dispatcher: {
      request: async (options: Dispatcher.RequestOptions) => {
        const { headers, body = options.body } = recorder.next ?? {}
        recorder.next = undefined
        const answer = await agent.request({
          ...options,
          body,
          headers: { ...(options.headers as object), ...headers },
        })
        const { location, 'set-cookie': cookies } = answer.headers
        addTokens([cookies ?? []].flat().map(line => /=([^;]*)/.exec(line)?.[1]))
        addTokens(
          [...String(location ?? '').matchAll(/(?:session_id|code|state|nonce)=([^&#]+)/g)].map(found => found[1]),
        )
        return answer
      },
    } as Dispatcher,
  }
  return recorder
}

export type Traffic = Awaited<ReturnType<typeof startTraffic>>
