import { afterEach, expect, test } from '@jest/globals'
import { cleanup, waitFor } from '@testing-library/react'
import { getToday, listAssignments } from '@watchline/contracts/assignments'
import { getFailedSignIns } from '@watchline/contracts/audit'
import { getSystemStatus } from '@watchline/contracts/auth'
import { getTeam, getWatched } from '@watchline/contracts/engagement'
import type { AnyOperation } from '@watchline/contracts/operation'
import { operations } from '@watchline/contracts/operations'
import { countUsers, listSupervisors, listTeam } from '@watchline/contracts/organisation'
import { getSessionStatus } from '@watchline/contracts/playback'
import { listPlaylists } from '@watchline/contracts/playlists'
import { listOnline } from '@watchline/contracts/presence'
import type { ReactNode } from 'react'
import { firstReads, followingReads } from '../../src/app/first-reads.ts'
import { SupervisorPage } from '../../src/app/supervisor-page.tsx'
import { TraineePage } from '../../src/app/trainee-page.tsx'
import { AdminDashboard } from '../../src/features/admin/admin-dashboard.tsx'
import { SetupChecklist } from '../../src/features/admin/checklist/setup-checklist.tsx'
import { FailedSignIns } from '../../src/features/admin/security/failed-sign-ins.tsx'
import { makeMember, makeTeam } from '../support/engagement.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeTask } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
afterEach(cleanup)

const noStart = () => {}
const dashboards: Record<string, { screen: ReactNode; reads: readonly AnyOperation[] }> = {
  user: { screen: <TraineePage person={makeUser()} onStart={noStart} />, reads: [getToday, listAssignments] },
  supervisor: {
    screen: <SupervisorPage person={makeUser({ role: 'supervisor' })} onStart={noStart} />,
    reads: [listTeam, listOnline, listPlaylists],
  },
  admin: {
    screen: (
      <AdminDashboard introduction={<FailedSignIns />} onlinePanel={null} groupsPanel={null} reportsPanel={null} />
    ),
    reads: [countUsers, getFailedSignIns],
  },
  setup: {
    screen: <SetupChecklist />,
    reads: [getSystemStatus, countUsers, listSupervisors, listPlaylists],
  },
}

test.each(Object.keys(firstReads))('the dashboard of %s makes the reads that start before it', async role => {
  const { screen, reads } = dashboards[role]!
  for (const operation of reads) api.answer(operation, () => new Promise<never>(() => {}))
  api.answer(getTeam, makeTeam([makeMember()], { stalled_count: 1, finished_count: 1 }))
  renderScreen(screen)
  await waitFor(() => {
    const paths = api.received.map(({ name, query }) => {
      const text = new URLSearchParams(query).toString()
      return operations.find(operation => operation.name === name)?.path + (text && `?${text}`)
    })
    expect(paths).toEqual(expect.arrayContaining([...firstReads[role]!]))
  })
})

test('the dashboard of a trainee reads more about today’s task, which starts with its answer', async () => {
  const task = makeTask()
  const never = () => new Promise<never>(() => {})
  api.answer(getToday, task)
  api.answer(listAssignments, [])
  api.answer(getSessionStatus, {
    ...{ can_resume: false, current_playlist_id: null, current_video_id: null, current_video_index: 0 },
    ...{ is_monitoring: false, video_progress: 0 },
  })
  api.answer(getWatched, never)
  renderScreen(dashboards.user!.screen)
  await waitFor(() => expect(api.callsOf(getWatched)).toHaveLength(1))
  const [status, watched] = followingReads['/playlists/today']!(task)
  expect(status).toBe(`${getSessionStatus.path}?${new URLSearchParams(api.callsOf(getSessionStatus)[0]!.query)}`)
  expect(watched).toBe(`/engagement/watched/${api.callsOf(getWatched)[0]!.params.playlistId}`)
  expect(followingReads['/playlists/today']!(null)).toEqual([])
})
