import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import { type ApiResponse, eventually } from '@watchline/testing/harness'
import type { Column } from './_table.ts'
import { adminPassword, type Chain, type Member, type RightsWorld } from './_world.ts'

export interface Call {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** The login session it comes from; one of the caller's own otherwise. */
  sid?: string
}

interface Cell {
  world: RightsWorld
  whose: string
  column: Column
  /** Who calls; undefined for nobody. */
  me: Member | undefined
  /** The chain the object belongs to: the caller's own, or the other. */
  chain: Chain
}

const video = { provider: 'file', id: 'film', url: 'https://media.example.org/film.webm', title: 'Film', duration: 60 }
const videos = [video]
const csv = (email: string) => `email,name,role\n${email},Somebody New,user\n`

/** How each call is made in one cell of the table; whatever it needs is made afresh, so that no cell meets another's doings. */
export const calls: Record<string, (cell: Cell) => Promise<Call>> = {
  signIn: nothing,
  signInCallback: nothing,
  signInOptions: nothing,
  login: async () => ({ body: { session_id: 'nobody-gave-this' } }),
  refreshSession: nothing,
  logout: async () => ({ sid: `passing-${randomUUID()}` }),
  setupAdmin: async () => ({ body: { name: 'Another', email: 'another@example.org', password: 'correct horse 10' } }),
  loginAdmin: async () => ({ body: { email: `${randomUUID()}@example.org`, password: 'wrong horse 9' } }),
  logoutAdmin: async () => ({ sid: `passing-${randomUUID()}` }),
  getProfile: nothing,
  getAdminProfile: nothing,
  changeAdminPassword: async () => ({ body: { current_password: adminPassword, new_password: adminPassword } }),

  listUsers: nothing,
  countUsers: nothing,
  listSupervisors: nothing,
  listManagers: nothing,
  listTeam: nothing,
  changeRole: async cell => ({ params: { id: await changeable(cell) }, body: { role: 'director' } }),
  changeSupervisor: async cell => ({
    params: { id: await changeable(cell) },
    query: { supervisor_id: cell.whose === 'self' ? cell.world.own.supervisor.id : '' },
  }),
  changeManager: async cell => ({
    params: { id: cell.whose === 'self' ? (cell.me?.id ?? 'nobody') : await managedSupervisor(cell.world) },
    query: { manager_id: cell.whose === 'own' ? '' : cell.chain.manager.id },
  }),
  listSupervisorRequests: nothing,
  reviewSupervisorRequest: async cell => ({
    params: { id: await aRequest(cell) },
    body: { action: 'reject', comment: 'Rejected by admin' },
  }),
  requestSupervisor: async ({ world, whose, chain }) => ({
    body: { requested_supervisor_id: whose === 'free' ? await freeSupervisor(world) : chain.supervisor.id },
  }),
  listOwnRequests: nothing,
  listOwnSupervisors: nothing,
  listAudit: nothing,
  getSystemStatus: nothing,
  createImport: async () => ({ body: { file_name: 'people.csv', parts: 1 } }),
  uploadImportPart: async cell => ({
    params: { id: await anImport(cell, 'created'), part: '0' },
    body: { text: csv('somebody@example.org') },
  }),
  checkImport: async cell => ({ params: { id: await anImport(cell, 'uploaded') } }),
  applyImport: async cell => ({ params: { id: await anImport(cell, 'checked') } }),
  getImport: async cell => ({ params: { id: await anImport(cell, 'created') } }),

  createPlaylist: async () => ({ body: { title: 'Made', videos } }),
  updatePlaylist: async cell => ({ params: { id: await aPlaylist(cell) }, body: { title: 'Renamed' } }),
  deletePlaylist: async cell => ({ params: { id: await aPlaylist(cell) } }),
  getVideoDataStatus: nothing,
  previewImport: async ({ world }) => ({ query: { url: world.playlistUrl } }),
  importPlaylist: async ({ world }) => ({ body: { youtube_playlist_url: world.playlistUrl } }),
  refreshPlaylist: async cell => ({ params: { id: await anImportedPlaylist(cell) } }),
  sharePlaylist: async ({ world, chain }) => ({
    body: { youtube_playlist_url: world.playlistUrl, supervisor_ids: [chain.supervisor.id] },
  }),
  sharePlaylistWith: sharing,
  unsharePlaylist: sharing,
  listPlaylists: nothing,
  getPlaylist: async cell => ({ params: { id: await watched(cell) } }),
  reportUnavailable: async cell => ({ params: { id: await watched(cell), videoId: video.id }, body: { code: 150 } }),
  listTasks: nothing,
  assignPlaylist: assigning,
  unassignPlaylist: assigning,
  getToday: nothing,
  listAssignments: nothing,
  getSessionStatus: nothing,
  setMonitoring: async cell => ({ body: { is_monitoring: true, playlist_id: await watched(cell), take_over: true } }),
  saveProgress: async cell => {
    const playlist_id = await watched(cell)
    if (cell.whose === 'own') await monitoring(cell, playlist_id)
    return { body: { playlist_id, video_id: video.id, video_index: 0, progress: 5 }, sid: `watching-${playlist_id}` }
  },
  heartbeat: async cell => {
    const playlist_id = await watched(cell)
    await monitoring(cell, playlist_id)
    return { sid: `watching-${playlist_id}` }
  },
  listOnline: nothing,

  track: async cell => ({
    body: { playlist_id: await watched(cell), video_id: video.id, watch_time: 1, event_type: 'play' },
  }),
  getWatched: async cell => ({ params: { playlistId: await watched(cell) } }),
  getTeam: nothing,
  getMember: async ({ chain }) => ({ params: { userId: chain.user.id } }),
  getTeamHistory: nothing,
  exportTeam: nothing,
  getEngagementDashboard: nothing,
  getTeamAnalytics: nothing,
  listComments: async cell => ({ params: { playlistId: await watched(cell), videoId: video.id } }),
  addComment: async cell => ({
    body: { playlist_id: await watched(cell), video_id: video.id, timestamp: 3, comment: 'Well said' },
  }),

  listNotifications: nothing,
  reviewNotification: async ({ world, chain }) => ({
    params: { id: await aPendingComment(world, chain) },
    body: { action: 'approve' },
  }),
  readNotification: async cell => ({ params: { id: await aNotification(cell) } }),
  readAllNotifications: nothing,
  openStream: nothing,

  listRooms: nothing,
  listMessages: async cell => ({ params: { roomId: await aRoom(cell) } }),
  getUnreadCount: nothing,
  sendMessage: async cell => ({ body: { ...partner(cell), message: 'Good morning' } }),
  markRead: async cell => ({ query: { room_id: await aRoom(cell) } }),
  tellTyping: async cell => ({ body: { recipient_id: partner(cell).recipient_id } }),
  exportRoom: async cell => ({ params: { roomId: await aRoom(cell) } }),
}

async function nothing(): Promise<Call> {
  return {}
}

function done(answer: ApiResponse): ApiResponse {
  if (answer.status >= 300) throw new Error(`preparing: ${answer.status} ${answer.text}`)
  return answer
}

/** A user of the chain's supervisor who can be changed without harm; `self` is the caller. */
async function changeable({ world, whose, me }: Cell): Promise<string> {
  if (whose === 'self') return me?.id ?? 'nobody'
  const [, user] = await world.people([{ role: 'supervisor' }, { role: 'user', supervisor: 0 }])
  return user!.id
}

async function freeSupervisor(world: RightsWorld): Promise<string> {
  const [supervisor] = await world.people([{ role: 'supervisor' }])
  return supervisor.id
}

async function managedSupervisor(world: RightsWorld): Promise<string> {
  const [, supervisor] = await world.people([{ role: 'manager' }, { role: 'supervisor', manager: 0 }])
  return supervisor!.id
}

async function aRequest({ world, chain }: Cell): Promise<string> {
  const answer = await world.as(chain.manager)('auth', 'POST', '/manager/request-supervisor', {
    requested_supervisor_id: await freeSupervisor(world),
  })
  return done(answer).json.request.id
}

async function anImport({ world, whose }: Cell, upTo: 'created' | 'uploaded' | 'checked'): Promise<string> {
  if (whose === 'unknown') return 'nobody-made-this'
  const admin = world.as(world.admin)
  const created = await admin('auth', 'POST', '/admin/imports', { file_name: 'people.csv', parts: 1 })
  const { id } = done(created).json.import
  if (upTo === 'created') return id
  done(await admin('auth', 'PUT', `/admin/imports/${id}/parts/0`, { text: csv(`${id}@example.org`) }))
  if (upTo === 'uploaded') return id
  done(await admin('auth', 'POST', `/admin/imports/${id}/check`))
  for (;;) {
    const { status } = done(await admin('auth', 'GET', `/admin/imports/${id}`)).json
    if (status === 'checked') return id
    if (status !== 'checking') throw new Error(`the import is ${status}`)
  }
}

const makers = ['supervisor', 'manager', 'director', 'admin']

/** A playlist of the caller's own making (for who makes none: of their supervisor's), or of a stranger's. */
async function aPlaylist({ world, whose, me, chain }: Cell): Promise<string> {
  const maker = whose === 'own' && me && makers.includes(me.role) ? me : chain.supervisor
  const answer = await world.as(maker)('playback-session', 'POST', '/playlists', { title: 'Theirs', videos })
  return done(answer).json.id
}

async function anImportedPlaylist({ world, whose, me, chain }: Cell): Promise<string> {
  const maker = whose === 'own' && me && makers.includes(me.role) ? me : chain.supervisor
  const answer = await world.as(maker)('playback-session', 'POST', '/playlists/import', {
    youtube_playlist_url: world.playlistUrl,
  })
  return done(answer).json.id
}

/** A playlist that the caller watches: assigned to them, or of their own making; or a stranger's. */
async function watched(cell: Cell): Promise<string> {
  const id = await aPlaylist(cell)
  const { world, chain, whose, me } = cell
  if (whose === 'own' && me?.role === 'user') {
    const assign = `/playlists/${id}/assign`
    done(await world.as(chain.supervisor)('playback-session', 'PUT', assign, { assigned_users: [me.id] }))
  }
  return id
}

async function monitoring({ world, me }: Cell, playlistId: string): Promise<void> {
  if (!me) return
  const call = world.as(me, `watching-${playlistId}`)
  const body = { is_monitoring: true, playlist_id: playlistId, take_over: true }
  done(await call('playback-session', 'POST', '/session/monitoring', body))
}

/** `stranger`: an own playlist, and a supervisor of somebody else. */
async function sharing({ world, whose, chain }: Cell): Promise<Call> {
  const owner = whose === 'foreign' ? world.foreign.manager : world.own.manager
  const made = await world.as(owner)('playback-session', 'POST', '/playlists', { title: 'To share', videos })
  const supervisor = whose === 'stranger' ? world.foreign.supervisor : chain.supervisor
  return { params: { id: done(made).json.id }, body: { supervisor_ids: [supervisor.id] } }
}

/** `stranger`: an own playlist, and a user of somebody else's team. */
async function assigning(cell: Cell): Promise<Call> {
  const { world, whose, chain } = cell
  const id = await aPlaylist(whose === 'stranger' ? { ...cell, whose: 'own' } : cell)
  const person = whose === 'stranger' ? world.foreign.user : whose === 'foreign' ? world.own.user : chain.user
  return { params: { id }, body: { assigned_users: [person.id] } }
}

/** A comment of the chain's user, that waits for the answer of the chain's supervisor. */
async function aPendingComment(world: RightsWorld, { user, supervisor }: Chain): Promise<string> {
  const words = randomUUID()
  await world.tell('comment.added', {
    comment_id: words,
    person_id: user.id,
    playlist_id: 'list',
    video_id: video.id,
    timestamp: 1,
    text: words,
  })
  return newestOf(world, supervisor, words)
}

/** Something plain for the caller, or for somebody of the other chain. */
async function aNotification({ world, whose, me, chain }: Cell): Promise<string> {
  const recipient = whose === 'own' && me ? me : chain.manager
  const words = randomUUID()
  await world.tell('supervisor_request.reviewed', {
    request_id: words,
    manager_id: recipient.id,
    supervisor_id: chain.supervisor.id,
    approved: true,
    by: world.admin.id,
    comment: words,
  })
  return newestOf(world, recipient, words)
}

async function newestOf(world: RightsWorld, person: Member, words: string): Promise<string> {
  return eventually(async () => {
    const { notifications } = done(await world.as(person)('notification', 'GET', '/notifications')).json
    const found = notifications.find((each: { message: string }) => each.message.includes(words))
    expect(found).toBeDefined()
    return found.id
  })
}

/** Whom the caller writes to: the next in their own chain, or (`stranger`) a user of the other one. */
function partner({ world, whose, column, me, chain }: Cell): { recipient_id: string; chat_type: string } {
  if (whose === 'stranger' && column !== 'user')
    return { recipient_id: world.foreign.user.id, chat_type: column === 'admin' ? 'admin' : 'user_supervisor' }
  if (whose === 'stranger') return { recipient_id: world.foreign.supervisor.id, chat_type: 'user_supervisor' }
  const partners: Record<string, [Member, string]> = {
    supervisor: [chain.user, 'user_supervisor'],
    manager: [chain.supervisor, 'supervisor_manager'],
    director: [chain.manager, 'manager_director'],
    admin: [chain.user, 'admin'],
  }
  const [member, chat_type] = partners[me?.role ?? ''] ?? [chain.supervisor, 'user_supervisor']
  return { recipient_id: member.id, chat_type }
}

/** A room with a message in it: the caller's own, or one of two people of the other chain. */
async function aRoom(cell: Cell): Promise<string> {
  const { world, whose, me, chain } = cell
  const own = whose === 'own' && me
  const sender = own ? me : chain.user
  const to = own ? partner(cell) : { recipient_id: chain.supervisor.id, chat_type: 'user_supervisor' }
  return done(await world.as(sender)('chat', 'POST', '/chat/send', { ...to, message: 'Good morning' })).json.room_id
}
