import { limits } from '@watchline/contracts/limits'
import type { AssignmentSnapshot, LockIntervalSnapshot } from '@watchline/contracts/snapshots'
import { fail } from '@watchline/kit/core/errors'
import express, { type Router } from 'express'
import { z } from 'zod'
import type { PlaybackContext } from '../context.ts'
import type { Assignment } from '../rules/assignment.ts'
import { assignmentKey } from '../store/assignments.ts'
import { presentPlaylistSnapshot } from './presenters.ts'

const maxPage = 1_000
const holdsTold = 16
const pageQuery = z.object({
  after: z.string().max(150).default(''),
  limit: z.coerce.number().int().min(1).max(maxPage).default(limits.pageDefault),
})

/** For the projections of the other services: playlists and assignments by id, page by page or one, and who held the lock lately. */
export function internalRoutes(ctx: Pick<PlaybackContext, 'playlists' | 'assignments' | 'monitoring'>): Router {
  const router = express.Router()
  router.get('/playlists', async (req, res) => {
    const { after, limit } = readPage(req.query)
    res.json((await ctx.playlists.afterId(after, limit)).map(presentPlaylistSnapshot))
  })
  router.get('/playlists/:id', async (req, res) => {
    const [playlist] = await ctx.playlists.byIds([req.params.id])
    res.json(presentPlaylistSnapshot(playlist ?? fail('not_found')))
  })
  router.get('/assignments', async (req, res) => {
    const { after, limit } = readPage(req.query)
    res.json((await ctx.assignments.afterKey(after, limit)).map(presentAssignmentSnapshot))
  })
  router.get('/assignments/:personId/:playlistId', async (req, res) => {
    const key = assignmentKey(req.params.personId, req.params.playlistId)
    const assignment = (await ctx.assignments.byKeys([key])).get(key)
    res.json(presentAssignmentSnapshot(assignment ?? fail('not_found')))
  })
  router.get('/holds/:personId', async (req, res) => {
    const sessions = await ctx.monitoring.recent(req.params.personId, holdsTold)
    res.json(
      sessions.map(
        ({ fence, sid, startedAt, endedAt }): LockIntervalSnapshot => ({
          fence,
          sid,
          from: startedAt.toISOString(),
          to: endedAt?.toISOString() ?? null,
        }),
      ),
    )
  })
  return router
}

function readPage(given: unknown): z.infer<typeof pageQuery> {
  const query = pageQuery.safeParse(given)
  return query.success ? query.data : fail('invalid')
}

function presentAssignmentSnapshot({ personId, playlistId, assignedDate }: Assignment): AssignmentSnapshot {
  return { person_id: personId, playlist_id: playlistId, assigned_date: assignedDate.toISOString() }
}
