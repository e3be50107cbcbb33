import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import type { ApiResponse } from '@watchline/testing/api-client'
import { eventually } from '@watchline/testing/harness'
import type { Column } from './_table.ts'
import { adminPassword, type Chain, type Member, type RightsWorld } from './_world.ts'

export interface Call {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** The login session of the call. Default: a session of the caller. */
  sid?: string
}

interface Cell {
  world: RightsWorld
  whose: string
  column: Column
  /** The caller; undefined for an anonymous call. */
  caller: Member | undefined
  /** The owner of the object: the caller's own chain or the foreign one. */
  chain: Chain
}

const video = { provider: 'file', id: 'film', url: 'https://media.example.org/film.webm', title: 'Film', duration: 60 }
const videos = [video]
const csv = (email: string) => `email,name,role\n${email},Somebody New,user\n`

/**
 * Prepares the call of one cell of the table. It creates the objects that the call needs, so that
 * cells do not influence each other.
 */
export const calls: Record<string, (cell: Cell) => Promise<Call>> = {
  signIn: noInput,
  signInCallback: noInput,
  signInOptions: noInput,
  getSignInFailure: noInput,
  listTokenKeys: noInput,
  login: async () => ({ body: { session_id: 'nobody-gave-this' } }),
  refreshSession: noInput,
  logout: async () => ({ sid: `passing-${randomUUID()}` }),
  backchannelLogout: noInput,
  setupAdmin: async () => ({ body: { name: 'Another', email: 'another@example.org', password: 'correct horse 10' } }),
  loginAdmin: async () => ({ body: { email: `${randomUUID()}@example.org`, password: 'wrong horse 9' } }),
  logoutAdmin: async () => ({ sid: `passing-${randomUUID()}` }),
  getProfile: noInput,
  getOwnAccount: noInput,
  endOwnSession: async () => ({ params: { id: 'u'.repeat(22) } }),
  endOtherOwnSessions: noInput,
  getAdminProfile: noInput,
  changeAdminPassword: async () => ({ body: { current_password: adminPassword, new_password: adminPassword } }),
  listAdministrators: noInput,
  inviteAdministrator: async () => ({
    body: { name: 'Another', email: `${randomUUID()}@example.org`, password: adminPassword },
  }),
  withdrawAdminInvitation: async () => ({ params: { id: 'nobody' } }),
  removeAdministrator: async () => ({ params: { id: 'nobody' }, body: { password: adminPassword } }),
  checkAdminInvitation: async () => ({ body: { token: 'nobody-gave-this' } }),
  acceptAdminInvitation: async () => ({ body: { token: 'nobody-gave-this', password: 'correct horse 10' } }),
  getSecondFactors: noInput,
  beginSecondFactor: async () => ({ body: { kind: 'totp', password: adminPassword } }),
  // In a session that has begun nothing.
  addSecondFactor: async () => ({ body: { kind: 'totp', name: 'Phone', code: '123456' }, sid: randomUUID() }),
  removeSecondFactor: async () => ({ params: { id: 'nobody' }, body: { password: adminPassword } }),
  replaceRecoveryCodes: async () => ({ body: { password: adminPassword } }),
  beginPasskeyLogin: noInput,
  completeAdminLogin: async () => ({ body: { kind: 'totp', code: '123456' } }),
  beginFirstFactor: async () => ({ body: { kind: 'totp' } }),
  addFirstFactor: async () => ({ body: { kind: 'totp', name: 'Phone', code: '123456' } }),

  listUsers: noInput,
  countUsers: noInput,
  listSupervisors: noInput,
  listManagers: noInput,
  getPicture: async ({ chain }) => ({
    params: { id: chain.user.id },
    query: { url: 'https://pictures.example.org/none.png' },
  }),
  listTeam: noInput,
  changeRole: async cell => ({ params: { id: await changeablePerson(cell) }, body: { role: 'director' } }),
  changeSupervisor: async cell => ({
    params: { id: await changeablePerson(cell) },
    query: { supervisor_id: cell.whose === 'self' ? cell.world.own.supervisor.id : '' },
  }),
  changeManager: async cell => ({
    params: { id: cell.whose === 'self' ? (cell.caller?.id ?? 'nobody') : await managedSupervisor(cell.world) },
    query: { manager_id: cell.whose === 'own' ? '' : cell.chain.manager.id },
  }),
  changeStatus: async cell => ({ params: { id: await changeablePerson(cell) }, body: { status: 'deactivated' } }),
  deleteUser: async cell => ({ params: { id: await changeablePerson(cell) } }),
  endSessionsOfUser: async cell => ({ params: { id: await changeablePerson(cell) } }),
  eraseUser: async cell => {
    const person = cell.whose === 'self' ? cell.caller : await newUser(cell.world)
    return {
      params: { id: person?.id ?? 'nobody' },
      body: { confirm_email: person?.email ?? 'nobody', password: adminPassword },
    }
  },
  listErasures: noInput,
  exportAccountData: ofPerson,
  exportWatchingData: ofPerson,
  exportEngagementData: ofPerson,
  exportNotificationData: ofPerson,
  exportChatData: ofPerson,
  listDetailViews: ofPerson,
  getMonitoringNotice: noInput,
  answerMonitoringNotice: async () => ({ body: { version: 'another', accepted: true } }),
  getPrivacyNotice: noInput,
  listSupervisorRequests: noInput,
  reviewSupervisorRequest: async cell => ({
    params: { id: await aRequest(cell) },
    body: { action: 'reject', comment: 'Rejected by admin' },
  }),
  requestSupervisor: async ({ world, whose, chain }) => ({
    body: { requested_supervisor_id: whose === 'free' ? await freeSupervisor(world) : chain.supervisor.id },
  }),
  listOwnRequests: noInput,
  withdrawRequest: async cell => ({ params: { id: await aRequest(cell) } }),
  listOwnSupervisors: noInput,
  returnSupervisor: async ({ world, chain }) => ({ params: { id: await supervisorUnder(world, chain.manager.id) } }),
  listAudit: noInput,
  exportAudit: noInput,
  getFailedSignIns: noInput,
  getSystemStatus: noInput,
  getClaimRules: noInput,
  saveClaimRules: async cell => ({
    body: { rules: [], version: await readRulesVersion(cell), password: adminPassword },
  }),
  previewClaimRules: async () => ({ body: { rules: [] } }),
  listGroups: noInput,
  listGroupChoices: noInput,
  listGroupClaims: noInput,
  getGroup: async cell => ({ params: { id: (await aGroup(cell)).id } }),
  createGroup: async () => ({ body: { name: randomUUID(), source: { kind: 'manual' } } }),
  updateGroup: async cell => {
    const { id, version } = await aGroup(cell)
    return { params: { id }, body: { name: randomUUID(), assigners: [], version } }
  },
  deleteGroup: async cell => ({ params: { id: (await aGroup(cell)).id } }),
  listGroupMembers: async cell => ({ params: { id: (await aGroup(cell)).id } }),
  addGroupMembers: async cell => ({
    params: { id: (await aGroup(cell)).id },
    body: { user_ids: [cell.chain.user.id] },
  }),
  removeGroupMembers: async cell => ({
    params: { id: (await aGroup(cell)).id },
    body: { user_ids: [cell.chain.user.id] },
  }),
  previewGroupImport: async cell => ({
    params: { id: (await aGroup(cell)).id },
    body: { emails: [cell.chain.user.email] },
  }),
  importGroupMembers: async cell => ({
    params: { id: (await aGroup(cell)).id },
    body: { emails: [cell.chain.user.email] },
  }),
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
  getVideoDataStatus: noInput,
  previewImport: async ({ world }) => ({ query: { url: world.playlistUrl } }),
  importPlaylist: async ({ world }) => ({ body: { youtube_playlist_url: world.playlistUrl } }),
  refreshPlaylist: async cell => ({ params: { id: await anImportedPlaylist(cell) } }),
  sharePlaylist: async ({ world, chain }) => ({
    body: { youtube_playlist_url: world.playlistUrl, supervisor_ids: [chain.supervisor.id] },
  }),
  sharePlaylistWith: prepareSharing,
  unsharePlaylist: prepareSharing,
  listPlaylists: noInput,
  listPlaylistChoices: noInput,
  getPlaylist: async cell => ({ params: { id: await watchablePlaylist(cell) } }),
  reportUnavailable: async cell => ({
    params: { id: await watchablePlaylist(cell), videoId: video.id },
    body: { code: 150 },
  }),
  dismissUnavailable: async cell => ({ params: { id: await watchablePlaylist(cell), videoId: video.id } }),
  previewMedia: async () => ({ query: { url: '/media/film.webm' } }),
  getVideoCover: async () => ({ params: { videoId: 'abcdefghijk' } }),
  listTasks: noInput,
  getConditionLimits: noInput,
  assignPlaylist: prepareAssigning,
  unassignPlaylist: prepareAssigning,
  setDueDate: async cell => {
    const { params, body } = await prepareAssigning(cell)
    return { params, body: { ...body, due: null } }
  },
  overrideTask: async cell => {
    const { params, body } = await prepareAssigning(cell)
    return { params, body: { ...body, change_id: randomUUID(), action: 'exempt', reason: 'On leave' } }
  },
  listAssignees: async cell => ({ params: { id: await aPlaylist(cell) } }),
  listGroupAssignments: async cell => ({ params: { id: await aPlaylist(cell) } }),
  previewGroupAction: async cell => ({ params: await aGroupAssignment(cell), body: { action: 'assign' } }),
  assignToGroup: async cell => ({ params: await aGroupAssignment(cell), body: {} }),
  withdrawFromGroup: async cell => ({ params: await aGroupAssignment(cell) }),
  remindGroup: async cell => ({ params: await aGroupAssignment(cell) }),
  remindPeople: async ({ chain }) => ({ body: { user_ids: [chain.user.id] } }),
  getToday: noInput,
  listAssignments: noInput,
  exportDueDates: noInput,
  getSessionStatus: noInput,
  countOwnSessions: noInput,
  setMonitoring: async cell => ({
    body: { is_monitoring: true, playlist_id: await watchablePlaylist(cell), take_over: true },
  }),
  saveProgress: async cell => {
    const playlist_id = await watchablePlaylist(cell)
    if (cell.whose === 'own') await startMonitoring(cell, playlist_id)
    return { body: { playlist_id, video_id: video.id, video_index: 0, progress: 5 }, sid: `watching-${playlist_id}` }
  },
  heartbeat: async cell => {
    const playlist_id = await watchablePlaylist(cell)
    await startMonitoring(cell, playlist_id)
    return { sid: `watching-${playlist_id}` }
  },
  listOnline: noInput,

  getAttentionCheck: noInput,
  answerAttentionCheck: async () => ({ params: { id: randomUUID() }, body: { action: 'answer' } }),
  track: async cell => ({
    body: { playlist_id: await watchablePlaylist(cell), video_id: video.id, watch_time: 1, event_type: 'play' },
  }),
  getWatched: async cell => ({ params: { playlistId: await watchablePlaylist(cell) } }),
  getTeam: noInput,
  listTeams: noInput,
  listTasksAtRisk: noInput,
  getReport: noInput,
  getMember: async ({ chain }) => ({ params: { userId: chain.user.id } }),
  getTeamHistory: noInput,
  getOwnRecord: noInput,
  exportOwnRecord: noInput,
  issueRecord: async cell => ({ params: { userId: recordedPerson(cell) }, body: {} }),
  getGroupRecord: async cell => ({ params: { groupId: await aRecordedGroup(cell) } }),
  issueGroupRecord: async cell => ({ params: { groupId: await aRecordedGroup(cell) }, body: {} }),
  issueCertificate: async cell => ({
    params: { userId: recordedPerson(cell) },
    body: { playlist_id: await watchablePlaylist({ ...cell, whose: 'own', caller: cell.chain.user }) },
  }),
  downloadIssued: async cell => ({ params: { code: await issuedCode(cell), type: 'json' } }),
  verifyRecord: async () => ({ body: { code: '0'.repeat(20) } }),
  listRecordKeys: noInput,
  exportRecordChain: noInput,
  getRecord: async cell => ({ params: { userId: recordedPerson(cell) } }),
  exportTeam: noInput,
  exportReport: noInput,
  listSavedReports: noInput,
  createSavedReport: async () => ({ body: { name: 'Overdue', by: 'person', period: 'last_month' } }),
  getSavedReport: async cell => ({ params: { id: await aSavedReport(cell) } }),
  updateSavedReport: async cell => ({
    params: { id: await aSavedReport(cell) },
    body: { name: 'Overdue', by: 'person', period: 'last_month', version: 1 },
  }),
  sendSavedReport: async cell => ({
    params: { id: await aSavedReport(cell) },
    body: { client_id: randomUUID() },
  }),
  deleteSavedReport: async cell => ({ params: { id: await aSavedReport(cell) } }),
  getEngagementDashboard: noInput,
  getTeamAnalytics: noInput,
  listComments: async cell => ({ params: { playlistId: await watchablePlaylist(cell), videoId: video.id } }),
  addComment: async cell => ({
    body: { playlist_id: await watchablePlaylist(cell), video_id: video.id, timestamp: 3, comment: 'Well said' },
  }),
  editComment: async cell => ({
    params: { id: await aComment(cell, ownCaller(cell)) },
    body: { comment: 'Better said', revision: 1 },
  }),
  deleteComment: async cell => ({ params: { id: await aComment(cell, ownCaller(cell)) } }),
  hideComment: async cell => ({ params: { id: await aComment(cell, undefined) }, body: { hidden: true } }),

  listNotifications: noInput,
  countOwnNotifications: noInput,
  reviewNotification: async ({ world, chain }) => ({
    params: { id: await aPendingComment(world, chain) },
    body: { action: 'approve' },
  }),
  readNotification: async cell => ({ params: { id: await aNotification(cell) } }),
  readAllNotifications: noInput,
  openStream: noInput,
  getMailChoices: noInput,
  saveMailChoices: async () => ({ body: { kinds: ['task_overdue'] } }),
  openUnsubscribe: async () => ({ query: { token: 'forged' } }),
  unsubscribe: async () => ({ query: { token: 'forged' } }),
  getMailStatus: noInput,
  sendTestMail: noInput,
  mailAdminInvitation: async () => ({ body: { token: 'nobody-gave-this' } }),
  getMailLanguages: noInput,
  saveMailLanguages: async () => ({ body: { default_language: 'en', languages: [], version: 1_000 } }),
  listMailWordings: noInput,
  // A version that does not exist, so that each role of the table meets the same words.
  saveMailWording: async () => ({ params: { kind: 'task_overdue' }, body: { wording: null, version: 1_000 } }),
  previewMailWording: async () => ({
    params: { kind: 'task_overdue' },
    body: { subject: 'Overdue: {task}', text: 'Please complete it: {link}', link_label: 'Open the task' },
  }),
  getReminderSettings: noInput,
  saveReminderSettings: async () => ({
    body: {
      ...{ hours: null, quiet_weekdays: [], quiet_dates: [], version: 1_000 },
      digest: { weekdays: [1], time: '08:00' },
    },
  }),
  clearBounce: async () => ({ params: { id: 'unknown' } }),

  listRooms: noInput,
  listMessages: async cell => ({ params: { roomId: await aRoom(cell) } }),
  getUnreadCount: noInput,
  countOwnMessages: noInput,
  sendMessage: async cell => ({ body: { ...partner(cell), message: 'Good morning' } }),
  markRead: async cell => ({ query: { room_id: await aRoom(cell) } }),
  tellTyping: async cell => ({ body: { recipient_id: partner(cell).recipient_id } }),
  exportRoom: async cell => ({ params: { roomId: await aRoom(cell) } }),
}

async function noInput(): Promise<Call> {
  return {}
}

function expectSuccess(answer: ApiResponse): ApiResponse {
  if (answer.status >= 300) throw new Error(`preparing: ${answer.status} ${answer.text}`)
  return answer
}

/** The code of an issued record of the chain's user. */
async function issuedCode({ world, chain }: Cell): Promise<string> {
  const path = `/records/people/${chain.user.id}/issued`
  return expectSuccess(await world.callAs(chain.user)('engagement', 'POST', path, {})).json.code
}

/** A report of the caller, or with `foreign` one of the foreign supervisor. */
async function aSavedReport({ world, whose, caller, chain }: Cell): Promise<string> {
  const owner = whose === 'own' && caller && creatorRoles.includes(caller.role) ? caller : chain.supervisor
  const body = { name: 'Overdue', by: 'person', period: 'last_month' }
  const answer = await world.callAs(owner)('engagement', 'POST', '/engagement/saved-reports', body)
  const { id } = expectSuccess(answer).json.report
  return id
}

/** The person whose record a cell reads. */
function recordedPerson({ whose, caller, chain }: Cell): string {
  return whose === 'self' ? (caller?.id ?? 'nobody') : chain.user.id
}

/** A new user of a new supervisor, whom a cell may change. With `self` it is the caller. */
async function changeablePerson({ world, whose, caller }: Cell): Promise<string> {
  return whose === 'self' ? (caller?.id ?? 'nobody') : (await newUser(world)).id
}

/** The caller’s own data, or those of another person. */
async function ofPerson({ world, whose }: Cell): Promise<Call> {
  return whose === 'self' ? {} : { query: { user_id: (await newUser(world)).id } }
}

async function newUser(world: RightsWorld) {
  const [, user] = await world.people([{ role: 'supervisor' }, { role: 'user', supervisor: 0 }])
  return user!
}

async function freeSupervisor(world: RightsWorld): Promise<string> {
  const [supervisor] = await world.people([{ role: 'supervisor' }])
  return supervisor.id
}

async function managedSupervisor(world: RightsWorld): Promise<string> {
  const [, supervisor] = await world.people([{ role: 'manager' }, { role: 'supervisor', manager: 0 }])
  return supervisor!.id
}

async function supervisorUnder(world: RightsWorld, managerId: string): Promise<string> {
  const id = await freeSupervisor(world)
  const path = `/admin/users/${id}/manager?manager_id=${managerId}`
  expectSuccess(await world.callAs(world.admin)('auth', 'PUT', path))
  return id
}

async function aRequest({ world, chain }: Cell): Promise<string> {
  const answer = await world.callAs(chain.manager)('auth', 'POST', '/manager/request-supervisor', {
    requested_supervisor_id: await freeSupervisor(world),
  })
  return expectSuccess(answer).json.request.id
}

async function anImport({ world, whose }: Cell, until: 'created' | 'uploaded' | 'checked'): Promise<string> {
  if (whose === 'unknown') return 'nobody-made-this'
  const admin = world.callAs(world.admin)
  const created = await admin('auth', 'POST', '/admin/imports', { file_name: 'people.csv', parts: 1 })
  const { id } = expectSuccess(created).json.import
  if (until === 'created') return id
  expectSuccess(await admin('auth', 'PUT', `/admin/imports/${id}/parts/0`, { text: csv(`${id}@example.org`) }))
  if (until === 'uploaded') return id
  expectSuccess(await admin('auth', 'POST', `/admin/imports/${id}/check`))
  for (;;) {
    const { status } = expectSuccess(await admin('auth', 'GET', `/admin/imports/${id}`)).json
    if (status === 'checked') return id
    if (status !== 'checking') throw new Error(`the import is ${status}`)
  }
}

/** A group of the administrator, to which the chain’s supervisor may assign. */
async function aGroup({ world, chain }: Cell): Promise<{ id: string; version: number }> {
  const body = { name: randomUUID(), source: { kind: 'manual' }, assigners: [chain.supervisor.id] }
  return expectSuccess(await world.callAs(world.admin)('auth', 'POST', '/groups', body)).json.group
}

/** The same with the chain’s user as a member, by whom the chain’s manager sees it. */
async function aRecordedGroup(cell: Cell): Promise<string> {
  const { id } = await aGroup(cell)
  const body = { user_ids: [cell.chain.user.id] }
  expectSuccess(await cell.world.callAs(cell.world.admin)('auth', 'POST', `/groups/${id}/members`, body))
  return id
}

async function readRulesVersion({ world }: Cell): Promise<number> {
  const answer = await world.callAs(world.admin)('auth', 'GET', '/admin/claim-rules')
  return expectSuccess(answer).json.version
}

const creatorRoles = ['supervisor', 'manager', 'director', 'admin']

/**
 * A playlist that the caller created. Users create none, so theirs is of their supervisor. A
 * foreign playlist is of the foreign supervisor.
 */
async function aPlaylist({ world, whose, caller, chain }: Cell): Promise<string> {
  const creator = whose === 'own' && caller && creatorRoles.includes(caller.role) ? caller : chain.supervisor
  const answer = await world.callAs(creator)('playback-session', 'POST', '/playlists', { title: 'Theirs', videos })
  return expectSuccess(answer).json.id
}

/** A playlist of a group to which the supervisor of the chain may assign. */
async function aGroupAssignment(cell: Cell): Promise<{ id: string; group_id: string }> {
  const { world, chain } = cell
  const id = await aPlaylist(cell)
  const group_id = randomUUID()
  const facts = { group_id, name: 'Theirs', assigners: [chain.supervisor.id], revision: 1, by: null }
  await world.publish('group.changed', facts)
  const path = `/playlists/${id}/groups/${group_id}`
  await eventually(async () => {
    expectSuccess(await world.callAs(world.director)('playback-session', 'PUT', path, {}))
  })
  return { id, group_id }
}

async function anImportedPlaylist({ world, whose, caller, chain }: Cell): Promise<string> {
  const creator = whose === 'own' && caller && creatorRoles.includes(caller.role) ? caller : chain.supervisor
  const answer = await world.callAs(creator)('playback-session', 'POST', '/playlists/import', {
    youtube_playlist_url: world.playlistUrl,
  })
  return expectSuccess(answer).json.id
}

/** A playlist that the caller created or that is assigned to the caller, or a foreign playlist. */
async function watchablePlaylist(cell: Cell): Promise<string> {
  const id = await aPlaylist(cell)
  const { world, chain, whose, caller } = cell
  if (whose === 'own' && caller?.role === 'user') {
    const assign = `/playlists/${id}/assign`
    expectSuccess(
      await world.callAs(chain.supervisor)('playback-session', 'PUT', assign, { assigned_users: [caller.id] }),
    )
  }
  return id
}

function ownCaller({ whose, caller }: Cell): Member | undefined {
  return whose === 'own' ? caller : undefined
}

/** A comment of the author; by default of the chain's user. */
async function aComment(cell: Cell, author: Member = cell.chain.user): Promise<string> {
  const playlist_id = await watchablePlaylist({ ...cell, whose: 'own', caller: author })
  const body = { playlist_id, video_id: video.id, timestamp: 3, comment: 'Well said' }
  return expectSuccess(await cell.world.callAs(author)('engagement', 'POST', '/comments', body)).json.comment.id
}

async function startMonitoring({ world, caller }: Cell, playlistId: string): Promise<void> {
  if (!caller) return
  const call = world.callAs(caller, `watching-${playlistId}`)
  const body = { is_monitoring: true, playlist_id: playlistId, take_over: true }
  expectSuccess(await call('playback-session', 'POST', '/session/monitoring', body))
}

/** With `stranger` the playlist is the caller's own and the supervisor is foreign. */
async function prepareSharing({ world, whose, chain }: Cell): Promise<Call> {
  const owner = whose === 'foreign' ? world.foreign.manager : world.own.manager
  const created = await world.callAs(owner)('playback-session', 'POST', '/playlists', { title: 'To share', videos })
  const supervisor = whose === 'stranger' ? world.foreign.supervisor : chain.supervisor
  return { params: { id: expectSuccess(created).json.id }, body: { supervisor_ids: [supervisor.id] } }
}

/** With `stranger` the playlist is the caller's own and the user is in a foreign team. */
async function prepareAssigning(cell: Cell) {
  const { world, whose, chain } = cell
  const id = await aPlaylist(whose === 'stranger' ? { ...cell, whose: 'own' } : cell)
  const person = whose === 'stranger' ? world.foreign.user : whose === 'foreign' ? world.own.user : chain.user
  return { params: { id }, body: { assigned_users: [person.id] } }
}

/** A comment of the chain's user that the chain's supervisor has not reviewed. */
async function aPendingComment(world: RightsWorld, { user, supervisor }: Chain): Promise<string> {
  const marker = randomUUID()
  await world.publish('comment.added', {
    comment_id: marker,
    person_id: user.id,
    playlist_id: 'list',
    video_id: video.id,
    timestamp: 1,
    text: marker,
  })
  return findNotification(world, supervisor, marker)
}

/** A notification without review, for the caller or for the chain's manager. */
async function aNotification({ world, whose, caller, chain }: Cell): Promise<string> {
  const recipient = whose === 'own' && caller ? caller : chain.manager
  const marker = randomUUID()
  await world.publish('supervisor_request.reviewed', {
    request_id: marker,
    manager_id: recipient.id,
    supervisor_id: chain.supervisor.id,
    approved: true,
    by: world.admin.id,
    comment: marker,
  })
  return findNotification(world, recipient, marker)
}

async function findNotification(world: RightsWorld, person: Member, marker: string): Promise<string> {
  return eventually(async () => {
    const { notifications } = expectSuccess(await world.callAs(person)('notification', 'GET', '/notifications')).json
    const found = notifications.find((notification: { message: string }) => notification.message.includes(marker))
    expect(found).toBeDefined()
    return found.id
  })
}

/** The recipient of the caller's message: the next person in the own chain, or a stranger. */
function partner({ world, whose, column, caller, chain }: Cell): { recipient_id: string; chat_type: string } {
  if (whose === 'stranger' && column !== 'user')
    return { recipient_id: world.foreign.user.id, chat_type: column === 'admin' ? 'admin' : 'user_supervisor' }
  if (whose === 'stranger') return { recipient_id: world.foreign.supervisor.id, chat_type: 'user_supervisor' }
  const partners: Record<string, [Member, string]> = {
    supervisor: [chain.user, 'user_supervisor'],
    manager: [chain.supervisor, 'supervisor_manager'],
    director: [chain.manager, 'manager_director'],
    admin: [chain.user, 'admin'],
  }
  const [member, chat_type] = partners[caller?.role ?? ''] ?? [chain.supervisor, 'user_supervisor']
  return { recipient_id: member.id, chat_type }
}

/** A room with a message: the caller's own, or a room of two people of the foreign chain. */
async function aRoom(cell: Cell): Promise<string> {
  const { world, whose, caller, chain } = cell
  const isOwn = whose === 'own' && caller
  const sender = isOwn ? caller : chain.user
  const recipient = isOwn ? partner(cell) : { recipient_id: chain.supervisor.id, chat_type: 'user_supervisor' }
  return expectSuccess(
    await world.callAs(sender)('chat', 'POST', '/chat/send', { ...recipient, message: 'Good morning' }),
  ).json.room_id
}
