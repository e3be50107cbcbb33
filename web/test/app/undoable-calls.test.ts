import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { makeStore } from '../../src/app/store.ts'
import { commentsApi } from '../../src/features/comments/comments-api.ts'
import { groupsApi } from '../../src/features/groups/groups-api.ts'
import { managementApi } from '../../src/features/management/management-api.ts'
import { notificationsApi } from '../../src/features/notifications/notifications-api.ts'
import { playlistsApi } from '../../src/features/playlists/playlists-api.ts'
import { reportsApi } from '../../src/features/reports/reports-api.ts'
import { setXsrfCookie } from '../support/fake-api.ts'

const ids = { params: { id: 'one' } }
type Store = ReturnType<typeof makeStore>

/** The files that hold calls back for an undo, with the start of each of these calls. */
const undoableCalls: [file: string, ...starts: ((store: Store) => unknown)[]][] = [
  [
    'comments/comment-actions.tsx',
    store => store.dispatch(commentsApi.endpoints.deleteComment.initiate(ids)),
    store => store.dispatch(commentsApi.endpoints.hideComment.initiate({ ...ids, body: { hidden: true } })),
  ],
  [
    'groups/group-members.tsx',
    store => store.dispatch(groupsApi.endpoints.removeGroupMembers.initiate({ ...ids, body: { user_ids: ['two'] } })),
  ],
  [
    'management/return-supervisor.tsx',
    store => store.dispatch(managementApi.endpoints.returnSupervisor.initiate({ ...ids, query: {} })),
  ],
  [
    'notifications/approvals/pending-comment.tsx',
    store =>
      store.dispatch(
        notificationsApi.endpoints.reviewNotification.initiate({
          ...ids,
          body: { action: 'reject', supervisor_comment: '' },
        }),
      ),
  ],
  [
    'playlists/assign/assignees.tsx',
    store =>
      store.dispatch(playlistsApi.endpoints.unassignPlaylist.initiate({ ...ids, body: { assigned_users: ['two'] } })),
  ],
  ['reports/saved-reports.tsx', store => store.dispatch(reportsApi.endpoints.deleteSavedReport.initiate(ids))],
]

const { fetch } = globalThis
beforeEach(() => setXsrfCookie('there'))
afterEach(() => {
  globalThis.fetch = fetch
  setXsrfCookie('')
})

test('this table has every file that holds a call back for an undo', () => {
  const features = join(import.meta.dirname, '../../src/features')
  const files = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.tsx'))
  const users = files.filter(file => readFileSync(join(features, file), 'utf8').includes('useUndoableCall('))
  expect(users.sort()).toEqual(undoableCalls.map(([file]) => file))
})

// The page may close within the seconds of the undo, and the browser then ends other requests.
test.each(undoableCalls)('the calls of %s outlive the page', async (_, ...starts) => {
  for (const start of starts) {
    const send = jest.fn<typeof fetch>().mockRejectedValue(new TypeError('no network'))
    globalThis.fetch = send
    await start(makeStore())
    expect(send).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ keepalive: true }))
  }
})
